/* SPDX-License-Identifier: BSD-2-Clause */
/* `standstill record`: options, and the order of things. */
#include <argp.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "user/base/cleanup.h"
#include "user/base/heap.h"
#include "user/base/units.h"
#include "user/cmd/cmd.h"
#include "user/cmd/record.h"

#define TICK_NS	       (20 * NS_PER_MS)
#define TICKS_A_SECOND (NS_PER_S / TICK_NS)
#define HEAP_OF_ATTACH (24u << 20) /* the types of the kernel, the symbols of libjvm */

enum { KEY_KEEP = 256, KEY_PAUSE_SOURCE, KEY_RING_SIZE, KEY_CLIENT, KEY_NO_SOCKETS };

static const struct argp_option option_rows[] = {
	{"pid", 'p', "PID", 0, "the JVM to record; may be given up to 8 times", 0},
	{"client", KEY_CLIENT, "PID", 0,
	 "a process that sends it requests: recorded, too, but not as a server; need be no JVM", 0},
	{"duration", 'd', "SECONDS", 0,
	 "stop after this long (30, 500ms, 5m); default: until Ctrl-C", 0},
	{"output", 'o', "FILE", 0, "the recording; default: standstill-PID-DATE-TIME.still", 0},
	{"keep", KEY_KEEP, "TIME|SIZE", 0,
	 "keep only the last 5m, or the last 1G, of a long recording", 0},
	{"pause-source", KEY_PAUSE_SOURCE, "SOURCE", 0,
	 "where pauses are seen: auto (default), usdt, futex (JDK 13 and later; a hook on every "
	 "futex call "
	 "of the machine), none",
	 0},
	{"no-sockets", KEY_NO_SOCKETS, NULL, 0,
	 "leave out what happens at sockets: requests cannot be told then", 0},
	{"ring-size", KEY_RING_SIZE, "SIZE", 0, "memory between kernel and recorder; default 8M",
	 0},
	{"quiet", 'q', NULL, 0, "print errors only", 0},
	{"verbose", 'v', NULL, 0, "print what libbpf says, too", 0},
	{0},
};

static const char help_text[] = "Attach to running JVMs and record every stop-the-world "
				"pause, every wait of every thread, and what happens at every "
				"stream socket.\v"
				"The JVM needs no agent, flag or restart, and is not stopped. Ends "
				"on Ctrl-C, after -d, or when the JVM "
				"exits; what was recorded until then is kept.\n\n"
				"Examples:\n"
				"  standstill record -p $(pgrep -n java) -d 30 -o run.still\n"
				"  standstill record -p 4242 -p 4243 -o both.still\n"
				"  standstill record -p 4242 --client 4300 -d 30 -o ends.still\n"
				"  standstill record -p 4242 --keep 5m -o flight.still\n\n"
				"Read it with `standstill pauses`, `threads` and `dump`.";

static int add_pid(struct record_options *o, const char *word, enum target_role role,
		   const struct argp_state *state)
{
	uint64_t pid;

	if (units_parse_number(word, 1, INT32_MAX, &pid))
		argp_error(state, "'%s' is no process id", word);
	if (o->nr_tgids == ARRAY_SIZE(o->tgids))
		argp_error(state, "at most %zu processes can be recorded at once",
			   ARRAY_SIZE(o->tgids));
	for (size_t i = 0; i < o->nr_tgids; i++)
		if (o->tgids[i] == pid)
			argp_error(state, "process %s is given twice", word);
	o->roles[o->nr_tgids] = role;
	o->tgids[o->nr_tgids++] = (uint32_t)pid;
	return 0;
}

static void set_keep(struct recording_options *o, const char *word, const struct argp_state *state)
{
	bool bare = strspn(word, "0123456789.") == strlen(word);

	o->keep_ns = o->keep_bytes = 0;
	if (bare || (units_parse_time(word, &o->keep_ns) && units_parse_size(word, &o->keep_bytes)))
		argp_error(state, "--keep takes a time like 5m or a size like 1G, not '%s'", word);
	if (o->keep_ns == 0 && o->keep_bytes == 0)
		argp_error(state, "--keep %s would keep nothing", word);
}

static enum pause_probes parse_source(const char *word, const struct argp_state *state)
{
	static const char *const names[] = {
		[PAUSE_PROBES_AUTO] = "auto",
		[PAUSE_PROBES_USDT] = "usdt",
		[PAUSE_PROBES_FUTEX] = "futex",
		[PAUSE_PROBES_NONE] = "none",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(word, names[i]))
			return (enum pause_probes)i;
	argp_error(state, "--pause-source is one of auto, usdt, futex, none, not '%s'", word);
	return PAUSE_PROBES_AUTO;
}

static error_t parse_option(int key, char *word, struct argp_state *state)
{
	struct record_options *o = state->input;

	switch (key) {
	case 'p':
		return add_pid(o, word, TARGET_SERVER, state);
	case KEY_CLIENT:
		return add_pid(o, word, TARGET_CLIENT, state);
	case KEY_NO_SOCKETS:
		o->probes.no_sockets = true;
		return 0;
	case 'd':
		if (units_parse_time(word, &o->duration_ns) || o->duration_ns == 0)
			argp_error(state, "-d takes a time like 30, 500ms or 5m, not '%s'", word);
		return 0;
	case 'o':
		o->output = word;
		return 0;
	case KEY_KEEP:
		set_keep(&o->file, word, state);
		return 0;
	case KEY_PAUSE_SOURCE:
		o->probes.pauses = parse_source(word, state);
		return 0;
	case KEY_RING_SIZE:
		if (units_parse_size(word, &o->probes.ring_bytes) ||
		    o->probes.ring_bytes > 1ull << 30)
			argp_error(state, "--ring-size takes a size like 8M, up to 1G, not '%s'",
				   word);
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case 'v':
		o->verbose = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is not understood; the process is given as -p PID", word);
		return 0;
	case ARGP_KEY_END:
		if (o->nr_tgids == 0)
			argp_error(state, "which process? give its id with -p PID (`pgrep -a java` "
					  "lists JVMs)");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static int create_file(struct session *s)
{
	int error;

	if (s->options->output) {
		snprintf(s->path, sizeof(s->path), "%s", s->options->output);
	} else {
		char stamp[32];
		time_t now = time(NULL);
		struct tm tm;

		strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
		snprintf(s->path, sizeof(s->path), "standstill-%u-%s.still", s->options->tgids[0],
			 stamp);
	}
	error = recording_create(s->path, &s->options->file, &s->file);
	if (error == -EOPNOTSUPP)
		complain("cannot keep only a part in %s: its file system cannot free the front of "
			 "a file; leave "
			 "--keep out, or write to ext4, xfs, btrfs or tmpfs",
			 s->path);
	else if (error)
		complain("cannot create %s: %s; choose another place with -o", s->path,
			 strerror(-error));
	return error ? EXIT_NO_OUTPUT : EXIT_OK;
}

static void tick(struct session *s)
{
	uint64_t now_ns = monotonic_ns();

	if (recording_segment_due(s->file, now_ns))
		record_begin_segment(s);
	record_drain(s);
	record_names_look_up(s);
	if (s->nr_ticks % (5 * TICKS_A_SECOND) == 5 * TICKS_A_SECOND - 1)
		record_names_read(s);
	record_put_lost(s);
	/* The kernel's statistics cost time, so they run for a tenth of a second in five. */
	probes_measure(s->probes, s->nr_ticks % (5 * TICKS_A_SECOND) < TICKS_A_SECOND / 10);
	if (++s->nr_ticks % TICKS_A_SECOND == 0) {
		record_put_cost(s);
		status_line(s);
	}
	if (!s->file_error)
		s->file_error = recording_tick(s->file, s->drained_ns);
	if (s->file_error)
		s->end_reason = END_WRITE_ERROR;
	else if (s->exec_seen)
		s->end_reason = END_TARGET_EXEC;
	else if (s->options->duration_ns && now_ns - s->start_ns >= s->options->duration_ns)
		s->end_reason = END_DEADLINE;
}

static bool has_servers(const struct record_options *o)
{
	for (size_t i = 0; i < o->nr_tgids; i++)
		if (o->roles[i] == TARGET_SERVER)
			return true;
	return false;
}

/* Clients do not keep a recording going whose servers have ended. */
static void see_exits(struct session *s, const struct pollfd *polls)
{
	bool servers = has_servers(s->options);
	size_t nr_alive = 0;

	for (size_t i = 0; i < s->nr_targets; i++) {
		if (s->pidfds[i] >= 0 && polls[i].revents) {
			if (!s->options->quiet && s->nr_targets > 1)
				fprintf(stderr, "process %u has ended\n", s->options->tgids[i]);
			close(s->pidfds[i]);
			s->pidfds[i] = -1;
		}
		nr_alive +=
			s->pidfds[i] >= 0 && (!servers || s->options->roles[i] == TARGET_SERVER);
	}
	if (nr_alive == 0)
		s->end_reason = END_TARGET_EXIT;
}

/* Until something ends it. @signals is readable on Ctrl-C, @timer every tick. */
static void loop(struct session *s, int signals, int timer)
{
	while (s->end_reason == END_NONE) {
		struct pollfd polls[PROBE_TARGETS_MAX + 2];
		size_t nr = s->nr_targets;
		uint64_t expirations;

		for (size_t i = 0; i < nr; i++)
			polls[i] = (struct pollfd){.fd = s->pidfds[i], .events = POLLIN};
		polls[nr] = (struct pollfd){.fd = timer, .events = POLLIN};
		polls[nr + 1] = (struct pollfd){.fd = signals, .events = POLLIN};
		if (poll(polls, nr + 2, -1) < 0)
			continue;
		if (polls[nr].revents && read(timer, &expirations, sizeof(expirations)) > 0)
			tick(s);
		see_exits(s, polls);
		if (polls[nr + 1].revents)
			s->end_reason = END_INTERRUPTED;
	}
}

static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static int open_timer(void)
{
	struct itimerspec every = {
		.it_interval.tv_nsec = (long)TICK_NS,
		.it_value.tv_nsec = (long)TICK_NS,
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	if (fd >= 0)
		timerfd_settime(fd, 0, &every, NULL);
	return fd;
}

/* Take what is still in the ring, look at the target once more, and let go of it. */
static void finish(struct session *s)
{
	record_put_counters(s, 1);
	probes_snapshot(s->probes);
	record_drain(s);
	record_put_lost(s);
	record_put_cost(s);
	probes_detach(s->probes);
	s->probes = NULL;
	record_put_end(s);
}

static int exit_code(const struct session *s)
{
	switch (s->end_reason) {
	case END_WRITE_ERROR:
		return EXIT_NO_OUTPUT;
	case END_TARGET_EXIT:
		return s->options->duration_ns ? EXIT_TARGET_EXITED : EXIT_OK;
	case END_TARGET_EXEC:
		return EXIT_TARGET_EXEC;
	}
	return EXIT_OK;
}

static int close_file(struct session *s)
{
	struct stat file;
	int error = recording_close(s->file);

	s->file_bytes = stat(s->path, &file) == 0 ? (uint64_t)file.st_size : 0;
	return error;
}

static int run(struct session *s)
{
	int signals CLEANUP(closep) = open_signals();
	int timer CLEANUP(closep) = -1;
	int code, error;

	heap_expect(HEAP_OF_ATTACH);
	code = record_open_targets(s);
	if (!code)
		code = create_file(s);
	if (code)
		return code;
	code = record_attach(s);
	heap_settle();
	if (code) {
		recording_close(s->file);
		unlink(s->path); /* nothing was recorded: leave nothing behind */
		return code;
	}
	timer = open_timer();
	status_begin(s);
	record_begin_segment(s);
	record_put_counters(s, 0);
	loop(s, signals, timer);
	finish(s);
	error = close_file(s);
	if (error && !s->file_error) {
		s->file_error = error;
		s->end_reason = END_WRITE_ERROR;
	}
	status_end(s);
	return exit_code(s);
}

int cmd_record(int argc, char **argv)
{
	static const struct argp argp = {option_rows, parse_option, "-p PID", help_text,
					 NULL,	      NULL,	    NULL};
	struct record_options options = {0};
	struct session session = {.options = &options};
	int code;

	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &options);
	session.interactive = isatty(STDERR_FILENO);
	session.names = record_names_new();
	if (!session.names) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	code = run(&session);
	record_names_free(session.names);
	record_close_targets(&session);
	return code;
}
