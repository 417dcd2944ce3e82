# What `make check` and `make verify` run. Each part is a target of its own.

# A main of its own, which is no part of the unit tests.
lib_src := $(filter-out %_main.c,$(wildcard tests/lib/*.c))
unit_src := $(wildcard tests/unit/*.c) $(lib_src)
unit_obj := $(unit_src:%.c=$(O)/%.o)

$(O)/unit: $(unit_obj) $(analysis_obj)
	$(call say,LD)
	$(Q)$(CC) $(ldflags) -o $@ $^ -lcriterion $(libs)

# UNIT=hostile: only what reads what others wrote. Each test is a process, which takes a third of a second to start under sanitizers.
hostile = recording*|encode|index*|schedule|text|elf|vmstructs|perfdata|cgroup|maps|usdt|load_answer|load_message
hostile := $(hostile)|javaheap*|javanames|jvm|target
unit_args = $(if $(filter hostile,$(UNIT)),--filter '@($(hostile))/*',--verbose)
.PHONY: check-unit
check-unit: $(O)/unit ## unit tests, one suite a room
	$(Q)rm -f $(O)/san.*; ASAN_OPTIONS=log_path=$(O)/san $(O)/unit $(unit_args)
	$(Q)! cat $(O)/san.* 2>/dev/null # Criterion passes a test that leaks or whose child reports

# Recordings from text, for tests that run the program.
recording_obj := $(filter $(O)/user/recording/% $(O)/user/base/%,$(analysis_obj))
$(O)/mkrecording: $(O)/tests/lib/mkrecording_main.o $(O)/tests/lib/records.o $(recording_obj)
	$(call say,LD)
	$(Q)$(CC) $(ldflags) -o $@ $^ $(libs)

.PHONY: check-golden golden-accept
check-golden: all $(O)/mkrecording ## what the commands print of recordings written down as text
	$(Q)tests/golden.sh $(O) check $(CASES)
golden-accept: all $(O)/mkrecording ## take what they print now for right; review the diff
	$(Q)tests/golden.sh $(O) accept $(CASES)

# Everything that reads what others wrote, built so that every misstep is seen.
FUZZ_SECONDS ?= 10
fuzz_src := $(wildcard user/recording/*.c user/base/*.c user/import/*.c) $(filter-out $(attach_src),$(wildcard user/attach/*.c))
fuzz_obj := $(fuzz_src:%.c=$(O)/fuzz/%.o)
fuzz_names := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
fuzz_flags := -std=gnu17 -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined

$(O)/fuzz/%.o: %.c
	$(call say,FUZZCC)
	$(Q)mkdir -p $(@D) && $(CLANG) $(fuzz_flags) -fsanitize=fuzzer-no-link $(defines) -DSTANDSTILL_FUZZ $(includes) -MMD -MP -c $< -o $@

$(fuzz_names:%=$(O)/fuzz/%): $(O)/fuzz/%: $(O)/fuzz/tests/fuzz/%.o $(fuzz_obj)
	$(call say,FUZZLD)
	$(Q)$(CLANG) $(fuzz_flags) -fsanitize=fuzzer -o $@ $^ $(libs)

$(O)/fuzz/seeds/made: $(O)/fuzz/tests/fuzz/seeds_main.o $(O)/fuzz/tests/lib/random.o $(fuzz_obj)
	$(Q)mkdir -p $(@D) && $(CLANG) $(fuzz_flags) -o $(@D)/../make-seeds $^ $(libs) && $(@D)/../make-seeds $(@D) && touch $@

.PHONY: check-fuzz
check-fuzz: $(fuzz_names:%=$(O)/fuzz/%) $(O)/fuzz/seeds/made ## fuzz every parser of foreign input for FUZZ_SECONDS each
	$(Q)FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/run.sh $(O)/fuzz $(fuzz_names)

# The test is the target: these need root and the kernel, and say so where they have to skip.
bpf_test_src := $(wildcard tests/bpf/*.c)
bpf_test_obj := $(bpf_test_src:%.c=$(O)/%.o)

$(O)/bpf-tests: $(bpf_test_obj) $(filter $(O)/user/attach/% $(O)/user/base/%,$(attach_obj) $(analysis_obj))
	$(call say,LD)
	$(Q)$(CC) $(ldflags) -o $@ $^ -lcriterion $(libs)

.PHONY: check-bpf
check-bpf: $(O)/bpf-tests ## the probes against threads that do a known number of things
	$(Q)tools/check-vmlinux $(O)/skel/standstill.bpf.o
	$(Q)$(O)/bpf-tests --verbose -j1

.PHONY: check-install
check-install: all ## what make install puts where
	$(Q)tests/install.sh $(O)

.PHONY: check-soak
SOAK_SECONDS ?= 10
check-soak: all $(O)/switches ## 50,000 records a second for SOAK_SECONDS lose nothing
	$(Q)tests/bpf/soak.sh $(O) $(SOAK_SECONDS)

include tests/verify.mk
include tests/load/load.mk
include tests/requests/requests.mk

# PARTS="unit golden" runs only these; the parts are a table in the script.
.PHONY: check verify
check: ## every test, in at most 12 minutes
	$(Q)O=$(O) tests/check.sh check $(PARTS)
verify: ## the full matrices as well; tables in build/verify/
	$(Q)O=$(O) tests/check.sh verify $(PARTS)
