# What `make check` and `make verify` run. Each part is a target of its own.

unit_src := $(wildcard tests/unit/*.c) $(wildcard tests/lib/*.c)
unit_obj := $(unit_src:%.c=$(O)/%.o)

$(O)/unit: $(unit_obj) $(analysis_obj)
	$(call say,LD)
	$(Q)$(CC) $(ldflags) -o $@ $^ -lcriterion $(libs)

.PHONY: check-unit
check-unit: $(O)/unit ## unit tests, one suite a room
	$(Q)rm -f $(O)/san.*; ASAN_OPTIONS=log_path=$(O)/san $(O)/unit --verbose
	$(Q)! cat $(O)/san.* 2>/dev/null # Criterion passes a test that leaks or whose child reports

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

# PARTS="unit golden" runs only these; the parts are a table in the script.
.PHONY: check verify
check: ## every test, in at most 12 minutes
	$(Q)O=$(O) tests/check.sh check $(PARTS)
verify: ## the full matrices as well; tables in build/verify/
	$(Q)O=$(O) tests/check.sh verify $(PARTS)
