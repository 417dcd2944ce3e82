# standstill: see `make help`.
O ?= build
PREFIX ?= /usr/local
CC ?= cc
CLANG ?= clang
CFLAGS ?= -O2 -g
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
PKG_CONFIG ?= pkg-config
VERSION := 0.1

Q = $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' '$(1)' '$(@:$(O)/%=%)')

warnings := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(if $(CI),-Werror)
# SANITIZE=address,undefined builds with sanitizers, in an O of its own.
comma := ,
ifneq ($(SANITIZE),)
override O := $(O)-$(subst $(comma),-,$(SANITIZE))
sanitize := -fsanitize=$(SANITIZE) -fno-sanitize-recover=undefined -fno-omit-frame-pointer
endif
defines := -D_GNU_SOURCE -DSTANDSTILL_VERSION='"$(VERSION)"'
includes := -I. -I$(O)
cflags = -std=gnu17 $(warnings) $(sanitize) $(defines) $(includes) $(CFLAGS)
ldflags = $(sanitize) $(LDFLAGS)
libs := -lbpf -lelf -ljson-c -lhttp_parser -lz -lm

# Only these know libbpf; everything else builds and runs without BPF, root or a JVM.
attach_src := $(wildcard user/attach/probe*.c) $(wildcard user/cmd/record*.c)
analysis_src := $(filter-out $(attach_src) user/main.c,$(wildcard user/*/*.c))
analysis_obj := $(analysis_src:%.c=$(O)/%.o)
attach_obj := $(attach_src:%.c=$(O)/%.o)
main_obj := $(O)/user/main.o

# The file that defines what is shared goes first: libbpf 1.1 links a map that it meets as extern first to a wrong offset.
bpf_src := bpf/ring.bpf.c $(filter-out bpf/ring.bpf.c,$(wildcard bpf/*.bpf.c))
bpf_obj := $(bpf_src:%.bpf.c=$(O)/%.bpf.o)
skel := $(O)/skel/standstill.skel.h

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all
all: $(O)/standstill ## build the program (the default)

$(O)/standstill: $(main_obj) $(analysis_obj) $(attach_obj)
	$(call say,LD)
	$(Q)$(CC) $(ldflags) -o $@ $^ $(libs)

$(O)/%.o: %.c
	$(call say,CC)
	$(Q)mkdir -p $(@D) && $(CC) $(cflags) -MMD -MP -c $< -o $@

$(attach_obj): $(skel)

# The system's headers (linux/types.h) are wanted too, and must not come before ours.
arch := $(shell uname -m | sed 's/x86_64/x86/;s/aarch64/arm64/')
clang_include := $(shell $(CLANG) -print-resource-dir 2>/dev/null)/include
bpf_flags = -g -O2 -target bpf -D__bpf__ -D__TARGET_ARCH_$(arch) -mcpu=v3 -Wall -Wextra -Wno-unused-parameter \
	$(if $(CI),-Werror) -Ivmlinux -I. -idirafter $(clang_include) -idirafter /usr/include/$(shell uname -m)-linux-gnu

$(O)/bpf/%.bpf.o: bpf/%.bpf.c
	$(call say,BPF)
	$(Q)mkdir -p $(@D) && $(CLANG) $(bpf_flags) -MMD -MP -c $< -o $@

$(O)/skel/standstill.bpf.o: $(bpf_obj)
	$(call say,LINK)
	$(Q)mkdir -p $(@D) && $(BPFTOOL) gen object $@ $^

$(skel): $(O)/skel/standstill.bpf.o
	$(call say,SKEL)
	$(Q)$(BPFTOOL) gen skeleton $< name standstill_bpf > $@

.PHONY: install
install: all ## install into $(DESTDIR)$(PREFIX)/bin
	install -D -m 0755 $(O)/standstill $(DESTDIR)$(PREFIX)/bin/standstill

# These set up what is missing first, and so build in a make of their own: this one has looked for tools already.
.PHONY: demo
demo: ## set up, build, and record a real Java server under load
	$(Q)tools/setup build demo
	$(Q)$(MAKE) --no-print-directory -j$$(nproc) all
	$(Q)tools/demo/run $(O)

.PHONY: bench
bench: all $(O)/switches $(O)/stamp $(O)/usage $(O)/bench-recording $(O)/load-server $(O)/load-wire ## what recording costs, and the load generator beside others (WRK2=); FULL=1: more repetitions
	$(Q)tools/bench/run $(O)
	$(Q)tools/bench/load $(O)

# The load of the benchmarks and of the soak test, and a clock for a shell.
$(O)/switches: $(O)/tools/bench/switches.o
	$(call say,LD)
	$(Q)$(CC) $(ldflags) -o $@ $^ -ldl -lpthread

bench_recording_obj := $(O)/tools/bench/recording.o $(O)/tools/bench/generate.o
$(O)/bench-recording: $(bench_recording_obj) $(filter $(O)/user/recording/% $(O)/user/base/%,$(analysis_obj))
	$(call say,LD)
	$(Q)$(CC) $(ldflags) -o $@ $^ $(libs)

$(O)/stamp $(O)/usage: $(O)/%: $(O)/tools/bench/%.o
	$(call say,LD)
	$(Q)$(CC) $(ldflags) -o $@ $^

.PHONY: clean
clean: ## remove everything that was built
	rm -rf build build-*

.PHONY: help
help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

include tests/tests.mk

-include $(shell find $(O) -name '*.d' 2>/dev/null)
