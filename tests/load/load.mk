# The load generator against servers of our own, whose truth is known; docs/load.md, "How it is tested".

load_server_obj := $(O)/tests/load/server.o $(O)/tests/load/server_main.o

$(O)/load-server: $(load_server_obj)
	$(call say,LD)
	$(Q)$(CC) $(ldflags) -o $@ $^

$(O)/load-judge: $(O)/tests/load/judge.o $(analysis_obj)
	$(call say,LD)
	$(Q)$(CC) $(ldflags) -o $@ $^ $(libs)

.PHONY: check-load verify-load
check-load: all $(O)/load-server $(O)/load-judge ## the load generator against servers whose truth is known
	$(Q)tests/load/all.sh $(O) check

verify-load: all $(O)/load-server $(O)/load-judge ## the same in every mode, and 10 million requests in one run
	$(Q)tests/load/all.sh $(O) verify

$(O)/load-wire: $(O)/tools/bench/load_wire.o
	$(call say,LD)
	$(Q)$(CC) $(ldflags) -o $@ $^ -lm

.PHONY: bench-load
bench-load: all $(O)/load-server $(O)/load-wire ## the load generator beside wrk2 (WRK2=), wrk, hey and h2load
	$(Q)tools/bench/load $(O)
