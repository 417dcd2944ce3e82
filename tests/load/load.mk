# The load generator against servers of our own, whose truth is known; docs/load.md, "How it is tested".

load_server_obj := $(O)/tests/load/server.o $(O)/tests/load/server_main.o

$(O)/load-server: $(load_server_obj)
	$(call say,LD)
	$(Q)$(CC) $(ldflags) -o $@ $^
