# Live tests: real JVMs, real stops. Truth comes from the JVM's own log and from injections at known times; docs/testing.md.

live_agree_obj := $(patsubst %.c,$(O)/%.o,$(wildcard tests/live/agree/*.c)) $(O)/user/base/units.o
live_helpers := $(O)/live/agree $(O)/live/inject $(O)/live/textdiff $(O)/live/hits $(O)/live/names $(O)/live/inspect

$(O)/live/agree: $(live_agree_obj)
	$(call say,LD)
	$(Q)mkdir -p $(@D) && $(CC) $(ldflags) -o $@ $^ -lm

$(O)/live/%: $(O)/tests/live/%.o $(O)/user/base/units.o
	$(call say,LD)
	$(Q)mkdir -p $(@D) && $(CC) $(ldflags) -o $@ $^ -lm

# These look at a JVM as the program does.
$(O)/live/names $(O)/live/inspect: $(O)/live/%: $(O)/tests/live/%.o $(filter $(O)/user/attach/% $(O)/user/base/%,$(analysis_obj))
	$(call say,LD)
	$(Q)mkdir -p $(@D) && $(CC) $(ldflags) -o $@ $^ $(libs)

live_java := $(wildcard tests/live/java/*.java)
$(O)/live/classes/.stamp: $(live_java) tests/live/jdk.sh
	$(call say,JAVAC)
	$(Q)mkdir -p $(@D) && $$(tests/live/jdk.sh --javac) --release 17 -Xlint:all -d $(@D) $(live_java) && touch $@

# build/verify/, for make verify with its objects in build/ci/ too.
live_tables := $(abspath $(patsubst %/ci,%,$(O))/verify)

.PHONY: live-ready
live-ready: $(O)/standstill $(live_helpers) $(O)/live/classes/.stamp

.PHONY: check-live
check-live: live-ready ## real JVMs: pauses against their own logs, injected stops, errors; a selection
	$(Q)O=$(O) TABLES=$(live_tables) tests/live/all.sh check

# VERIFY_SECONDS: how long each cell is recorded.
VERIFY_SECONDS ?= 60
.PHONY: verify-live
verify-live: live-ready ## every JDK, collector, workload and source; the table in build/verify/
	$(Q)O=$(O) TABLES=$(live_tables) tests/live/all.sh verify $(VERIFY_SECONDS)
