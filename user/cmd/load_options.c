/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/base/units.h"
#include "user/cmd/cmd.h"
#include "user/cmd/load.h"

enum {
	KEY_SEED = 256,
	KEY_WHEN_BUSY,
	KEY_MAX_CONNECTIONS,
	KEY_PIPELINE_DEPTH,
	KEY_PACING,
	KEY_SPIN_BEFORE,
	KEY_PLAN,
	KEY_TOLERANCE,
	KEY_TIMEOUT,
	KEY_BODY,
	KEY_URLS,
	KEY_FRAME,
	KEY_PERCENTILE,
	KEY_HDR,
	KEY_HLOG,
	KEY_JSON,
	KEY_LIVE,
	KEY_EVEN_IF_DOWN,
};

static const struct argp_option option_rows[] = {
	{"rate", 'r', "RATE", 0,
	 "Requests a second: 1000, or steps 0s:1000,30s:2000, or a ramp 1000..5000@60s, or both",
	 1},
	{"duration", 'd', "TIME", 0, "How long requests are planned, after the warm-up (10s)", 1},
	{"warmup", 'w', "TIME", 0, "Before that: the same load, left out of the report (0s)", 1},
	{"arrivals", 'a', "KIND", 0, "constant, or poisson: exponential gaps (constant)", 1},
	{"seed", KEY_SEED, "NUMBER", 0, "Of all that is random; the same seed plans the same (1)",
	 1},
	{"plan", KEY_PLAN, "POLICY", 0,
	 "After a stall of its own: ideal: send what was due, at its ideal times; now: forget it; "
	 "tick:MS: as now, but "
	 "planned ahead by ticks (ideal)",
	 1},
	{"plan-tolerance", KEY_TOLERANCE, "TIME", 0,
	 "Shorter stalls are none, for now and tick (10ms)", 1},

	{"connections", 'c', "NUMBER", 0, "Kept open, all threads together (16, or one a thread)",
	 2},
	{"max-connections", KEY_MAX_CONNECTIONS, "NUMBER", 0, "Opened at most (4096)", 2},
	{"when-busy", KEY_WHEN_BUSY, "WHAT", 0,
	 "When no connection is free: open another, pipeline on a busy one, or queue (open)", 2},
	{"pipeline-depth", KEY_PIPELINE_DEPTH, "NUMBER", 0,
	 "Requests on one connection at most (16)", 2},
	{"threads", 't', "NUMBER", 0, "That send (1)", 2},
	{"pacing", KEY_PACING, "HOW", 0,
	 "hybrid: a timer until shortly before a send is due, then spinning; sleep: timers only; "
	 "spin: never leave the core; "
	 "blocking: a closed loop, one connection a thread (hybrid)",
	 2},
	{"spin-before", KEY_SPIN_BEFORE, "TIME", 0,
	 "How long hybrid spins: from 1 / this many requests a second on, always (100us)", 2},
	{"timeout", KEY_TIMEOUT, "TIME", 0, "For an answer, from the intended send (10s)", 2},

	{"method", 'X', "WORD", 0, "Of HTTP (GET, or POST with a body)", 3},
	{"header", 'H', "LINE", 0, "'Name: value'; 'Name:' leaves one out", 3},
	{"body", KEY_BODY, "TEXT", 0, "Sent with each request; @FILE: what is in FILE", 3},
	{"urls", KEY_URLS, "FILE", 0, "Several requests; lines 'WEIGHT [METHOD] /PATH [@BODYFILE]'",
	 3},
	{"frame", KEY_FRAME, "FORM", 0,
	 "Of raw TCP. fixed:OUT/IN: OUT bytes are answered by IN; prefix:N or prefix:N/OUT: frames "
	 "behind their length in N "
	 "bytes (1, 2, 4 or 8, big-endian), --body or OUT zeros in it",
	 3},

	{"output", 'o', "FILE", 0, "The schedule (standstill-DATE.sched)", 4},
	{"percentile", 'p', "NUMBER", 0, "That the generator must be good enough for (99)", 4},
	{"hdr", KEY_HDR, "FILE", 0, "HdrHistogram percentiles into FILE.response and FILE.service",
	 4},
	{"hlog", KEY_HLOG, "FILE", 0, "HdrHistogram interval log, version 1.3", 4},
	{"json", KEY_JSON, NULL, 0, "The report as JSON", 4},
	{"quiet", 'q', NULL, 0, "No live line", 4},
	{"live", KEY_LIVE, NULL, 0, "The live line even if standard error is no terminal", 4},
	{"even-if-down", KEY_EVEN_IF_DOWN, NULL, 0, "Begin even if nobody listens there yet", 4},
	{0},
};

static const char help_text[] =
	"Sends requests when they are due, whatever the answers do, and writes down for each when "
	"it should have been sent, when "
	"it was, and when its answer came."
	"\v"
	"Examples:\n"
	"  standstill load http://localhost:8080/ -r 1000 -d 30 -o run.sched\n"
	"  standstill load http://localhost:8080/ -r 100..5000@60s -d 90 -a poisson\n"
	"  standstill load http://localhost:8080/api -r 500 -H 'Accept: text/plain' --body "
	"@order.json\n"
	"  standstill load localhost:7000 --frame prefix:4/64 -r 20k --threads 2\n\n"
	"Read the schedule again with `standstill schedule run.sched`. hybrid pacing keeps a core "
	"busy from 10,000 requests a "
	"second and thread on, spin always; sleep costs least and sends later.";

static uint64_t take_number(const char *word, uint64_t min, uint64_t max, const char *option,
			    const struct argp_state *state)
{
	uint64_t number = 0;

	if (units_parse_number(word, min, max, &number))
		argp_error(state, "%s takes a number from %llu to %llu, not '%s'", option,
			   (unsigned long long)min, (unsigned long long)max, word);
	return number;
}

static uint64_t take_time(const char *word, uint64_t min_ns, const char *option,
			  const struct argp_state *state)
{
	uint64_t time_ns = 0;

	if (units_parse_time(word, &time_ns) || time_ns < min_ns ||
	    time_ns > 365 * 86400 * NS_PER_S)
		argp_error(state, "%s takes a time like 10s, 250ms or 5m, not '%s'", option, word);
	return time_ns;
}

/* The number of @word among @names. */
static unsigned int take_word(const char *word, const char *const *names, size_t nr,
			      const char *option, const struct argp_state *state)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(word, names[i]))
			return (unsigned int)i;
	argp_error(state, "%s does not know '%s'; see --help", option, word);
	return 0;
}

static void take_plan(struct plan_options *plan, const char *word, const struct argp_state *state)
{
	static const char *const names[] = {[PLANNER_IDEAL] = "ideal", [PLANNER_NOW] = "now"};

	if (strncmp(word, "tick:", 5)) {
		plan->planner = take_word(word, names, ARRAY_SIZE(names), "--plan", state);
		return;
	}
	plan->planner = PLANNER_TICK;
	word += 5;
	if (!units_parse_number(word, 1, 1000000,
				&plan->tick_ns)) /* a bare number: ms, as ticks are */
		plan->tick_ns *= NS_PER_MS;
	else
		plan->tick_ns = take_time(word, 1000, "--plan tick:", state);
}

static void take_percentile(struct schedule_report_options *report, const char *word,
			    const struct argp_state *state)
{
	char *end;

	report->percent = strtod(word, &end);
	if (*end || !(report->percent > 0 && report->percent < 100))
		argp_error(state,
			   "--percentile takes a number between 0 and 100 like 99.9, not '%s'",
			   word);
}

/* Of connections. */
static error_t parse_connections(int key, const char *word, const struct argp_state *state,
				 struct load_options *o)
{
	static const char *const busy[] = {
		[BUSY_OPEN] = "open", [BUSY_PIPELINE] = "pipeline", [BUSY_QUEUE] = "queue"};

	switch (key) {
	case 'c':
		o->nr_connections = (uint32_t)take_number(word, 1, 1000000, "--connections", state);
		return 0;
	case KEY_MAX_CONNECTIONS:
		o->max_connections =
			(uint32_t)take_number(word, 1, 1000000, "--max-connections", state);
		return 0;
	case KEY_WHEN_BUSY:
		o->when_busy = take_word(word, busy, ARRAY_SIZE(busy), "--when-busy", state);
		return 0;
	case KEY_PIPELINE_DEPTH:
		o->pipeline_depth =
			(uint32_t)take_number(word, 1, 10000, "--pipeline-depth", state);
		return 0;
	case 't':
		o->nr_threads =
			(uint32_t)take_number(word, 1, LOAD_THREADS_MAX, "--threads", state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* Of the load itself. */
static error_t parse_load(int key, const char *word, const struct argp_state *state,
			  struct load_command *c)
{
	static const char *const arrivals[] = {
		[ARRIVALS_CONSTANT] = "constant", [ARRIVALS_POISSON] = "poisson"};
	static const char *const pacing[] = {[PACING_HYBRID] = "hybrid",
					     [PACING_SLEEP] = "sleep",
					     [PACING_SPIN] = "spin",
					     [PACING_BLOCKING] = "blocking"};
	struct load_options *o = &c->load;

	switch (key) {
	case 'r':
		c->rate = word;
		return 0;
	case 'd':
		o->duration_ns = take_time(word, 1, "--duration", state);
		return 0;
	case 'w':
		o->warmup_ns = take_time(word, 0, "--warmup", state);
		return 0;
	case 'a':
		o->plan.arrivals =
			take_word(word, arrivals, ARRAY_SIZE(arrivals), "--arrivals", state);
		return 0;
	case KEY_SEED:
		o->plan.seed = take_number(word, 0, UINT64_MAX, "--seed", state);
		return 0;
	case KEY_PLAN:
		take_plan(&o->plan, word, state);
		return 0;
	case KEY_TOLERANCE:
		o->plan.tolerance_ns = take_time(word, 0, "--plan-tolerance", state);
		return 0;
	case KEY_PACING:
		o->pacing = take_word(word, pacing, ARRAY_SIZE(pacing), "--pacing", state);
		return 0;
	case KEY_SPIN_BEFORE:
		o->spin_ns = take_time(word, 0, "--spin-before", state);
		return 0;
	case KEY_TIMEOUT:
		o->timeout_ns = take_time(word, 1000000, "--timeout", state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* Of what is sent, and where the results go. */
static error_t parse_rest(int key, char *word, const struct argp_state *state,
			  struct load_command *c)
{
	switch (key) {
	case 'X':
		c->method = word;
		return 0;
	case 'H':
		if (c->nr_headers == LOAD_HEADERS_MAX)
			argp_error(state, "at most %d headers can be given", LOAD_HEADERS_MAX);
		c->headers[c->nr_headers++] = word;
		return 0;
	case KEY_BODY:
		c->body = word;
		return 0;
	case KEY_URLS:
		c->urls = word;
		return 0;
	case KEY_FRAME:
		c->frame = word;
		return 0;
	case 'o':
		c->output = word;
		return 0;
	case 'p':
		take_percentile(&c->report, word, state);
		return 0;
	case KEY_HDR:
		c->report.hdr = word;
		return 0;
	case KEY_HLOG:
		c->report.hlog = word;
		return 0;
	case KEY_JSON:
		c->report.json = true;
		return 0;
	case 'q':
		c->quiet = true;
		return 0;
	case KEY_LIVE:
		c->live = true;
		return 0;
	case KEY_EVEN_IF_DOWN:
		c->even_if_down = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_option(int key, char *word, struct argp_state *state)
{
	struct load_command *c = state->input;
	char wrong[MESSAGE_WRONG_LEN];
	const char *problem;

	if (key == ARGP_KEY_ARG) {
		if (c->target)
			argp_error(state, "one target at a time, not '%s' too", word);
		c->target = word;
		return 0;
	}
	if (key == ARGP_KEY_END) {
		problem = load_settle(c, wrong);
		if (problem)
			argp_error(state, "%s", problem);
		return 0;
	}
	return parse_load(key, word, state, c) && parse_connections(key, word, state, &c->load) &&
			       parse_rest(key, word, state, c)
		       ? ARGP_ERR_UNKNOWN
		       : 0;
}

/* What was typed, for the file. */
static char *join(int argc, char **argv)
{
	char *text = NULL;
	size_t nr;
	FILE *to = open_memstream(&text, &nr);

	for (int i = 1; to && i < argc; i++)
		fprintf(to, "%s%s", i > 1 ? " " : "", argv[i]);
	if (to)
		fclose(to);
	return text;
}

void load_parse(int argc, char **argv, struct load_command *ret)
{
	static const struct argp argp = {
		option_rows, parse_option, "URL|HOST:PORT", help_text, NULL, NULL, NULL};

	*ret = (struct load_command){
		.load = {.nr_threads = 1,
			 .max_connections = 4096,
			 .pipeline_depth = 16,
			 .spin_ns = 100 * NS_PER_US,
			 .timeout_ns = 10 * NS_PER_S,
			 .duration_ns = 10 * NS_PER_S,
			 .plan = {.seed = 1, .tolerance_ns = 10 * NS_PER_MS}},
		.report = {.percent = 99},
		.arguments = join(argc, argv),
	};
	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, ret);
}

void load_command_free(struct load_command *c)
{
	message_free(&c->load.messages);
	free((char *)c->arguments);
}
