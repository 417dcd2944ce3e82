# Requests at the socket: real servers under real clients, and a judge that reads what the network carried; docs/testing.md.

requests_judge_obj := $(patsubst %.c,$(O)/%.o,$(filter-out %/mkpcap.c,$(wildcard tests/requests/judge/*.c)))
requests_text_obj := $(O)/tests/lib/records.o $(recording_obj)

$(O)/requests/judge: $(requests_judge_obj) $(requests_text_obj)
	$(call say,LD)
	$(Q)mkdir -p $(@D) && $(CC) $(ldflags) -o $@ $^ $(libs)

$(O)/requests/mkpcap: $(O)/tests/requests/judge/mkpcap.o
	$(call say,LD)
	$(Q)mkdir -p $(@D) && $(CC) $(ldflags) -o $@ $^

# Each server is compiled when its libraries are there; tools/setup requests installs them.
$(O)/requests/classes/.stamp: $(wildcard tests/requests/java/*.java) tests/requests/servers.sh
	$(call say,JAVAC)
	$(Q)tests/requests/servers.sh --compile $(@D) && touch $@

.PHONY: requests-ready check-requests verify-requests
requests-ready: all $(O)/requests/judge $(O)/requests/mkpcap $(O)/requests/classes/.stamp $(O)/live/inject
check-requests: requests-ready ## requests seen at the sockets of real servers under real clients; a selection
	$(Q)O=$(O) tests/requests/all.sh check
verify-requests: requests-ready ## every server with every client on every JDK; the table in build/verify/
	$(Q)O=$(O) tests/requests/all.sh verify
