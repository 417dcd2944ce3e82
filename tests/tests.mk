# What `make check` and `make verify` run. Each part is a target of its own.

unit_src := $(wildcard tests/unit/*.c) $(wildcard tests/lib/*.c)
unit_obj := $(unit_src:%.c=$(O)/%.o)

$(O)/unit: $(unit_obj) $(analysis_obj)
	$(call say,LD)
	$(Q)$(CC) $(ldflags) -o $@ $^ -lcriterion $(libs)

.PHONY: check-unit
check-unit: $(O)/unit ## unit tests, one suite a room
	$(Q)ASAN_OPTIONS=log_path=$(O)/san $(O)/unit --verbose
