/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/cleanup.h"
#include "user/base/units.h"
#include "user/cmd/cmd.h"
#include "user/cmd/open.h"
#include "user/cmd/replay.h"
#include "user/recording/reader.h"

/* So much around a window is read as well: a pause is understood from what came before it and given
 * out a second later. */
#define WINDOW_MARGIN_NS (2 * NS_PER_S)
#define PEEK_RECORDS	 4096 /* a segment begins with the facts; this many records are well more */

static void readerp(struct recording_reader **r)
{
	if (*r)
		recording_reader_free(*r);
}

int replay_parse_window(const char *word, struct replay_window *ret)
{
	const char *dots = strstr(word, "..");
	char from[64] = "";
	struct replay_window window = {true, 0, UINT64_MAX};

	if (!dots || (size_t)(dots - word) >= sizeof(from))
		return -EINVAL;
	memcpy(from, word, (size_t)(dots - word));
	if (*from && units_parse_time(from, &window.from_ns))
		return -EINVAL;
	if (dots[2] && units_parse_time(dots + 2, &window.to_ns))
		return -EINVAL;
	if (window.from_ns >= window.to_ns)
		return -EINVAL;
	*ret = window;
	return 0;
}

static uint64_t add_capped(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void replay_bounds(const struct replay *r, uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
	*ret_from_ns = r->window.set ? add_capped(r->account.start_ns, r->window.from_ns) : 0;
	*ret_to_ns = r->window.set ? add_capped(r->account.start_ns, r->window.to_ns) : UINT64_MAX;
}

static void on_span(void *arg, const struct thread *thread, const struct span *span)
{
	struct replay *r = arg;
	int error = pauses_span(r->pauses, thread, span);

	if (error)
		r->error = error;
	if (r->hooks.span)
		r->hooks.span(r->hooks.arg, thread, span);
}

static void on_gone(void *arg, const struct thread *thread)
{
	struct replay *r = arg;

	if (r->hooks.gone)
		r->hooks.gone(r->hooks.arg, thread);
}

static void on_pause(void *arg, const struct pause *pause)
{
	struct replay *r = arg;

	if (r->hooks.pause)
		r->hooks.pause(r->hooks.arg, pause);
}

int replay_new(const struct replay_hooks *hooks, const struct replay_window *window,
	       struct replay **ret)
{
	struct replay *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->hooks = *hooks;
	r->window = *window;
	r->threads = threads_new(on_span, on_gone, r);
	r->pauses = pauses_new(on_pause, r);
	if (!r->threads || !r->pauses) {
		replay_free(r);
		return -ENOMEM;
	}
	*ret = r;
	return 0;
}

void replay_free(struct replay *r)
{
	if (!r)
		return;
	threads_free(r->threads);
	pauses_free(r->pauses);
	free(r);
}

static int take(struct replay *r, const struct event_hdr *event)
{
	int error;

	account_event(&r->account, event);
	if (r->hooks.record)
		r->hooks.record(r->hooks.arg, event);
	error = pauses_event(r->pauses, event);
	if (!error)
		error = threads_event(r->threads, event);
	return error ? error : r->error;
}

static int finish(struct replay *r)
{
	uint64_t end_ns = account_end(&r->account);
	int error = threads_end(r->threads, end_ns);

	if (!error)
		error = pauses_end(r->pauses, end_ns);
	return error ? error : r->error;
}

/* When the recording began, by the facts it opens with: a window counts from there, and reading may
 * start far behind. */
static int find_start(const char *path, struct account *ret)
{
	struct recording_reader *reader CLEANUP(readerp) = NULL;
	const struct event_hdr *event;
	int code = open_recording(path, &reader);

	for (int i = 0;
	     !code && i < PEEK_RECORDS && !ret->started && recording_next(reader, &event) == 1; i++)
		account_event(ret, event);
	return code;
}

static int seek_window(struct replay *r, const char *path, struct recording_reader *reader)
{
	struct account start = {0};
	uint64_t from_ns, to_ns;
	int code;

	if (!r->window.set || !strcmp(path, "-"))
		return EXIT_OK; /* a pipe is read from its begin; the window is cut out all the same
				 */
	code = find_start(path, &start);
	if (code || !start.started)
		return code;
	from_ns = add_capped(start.start_ns, r->window.from_ns);
	to_ns = add_capped(start.start_ns, r->window.to_ns);
	if (recording_seek(reader, from_ns > WINDOW_MARGIN_NS ? from_ns - WINDOW_MARGIN_NS : 0,
			   add_capped(to_ns, WINDOW_MARGIN_NS))) {
		complain("cannot look up a time in %s", path);
		return EXIT_NO_INPUT;
	}
	return EXIT_OK;
}

static int out_of_memory(void)
{
	complain("out of memory");
	return EXIT_FAILED;
}

int replay_file(struct replay *r, const char *path)
{
	struct recording_reader *reader CLEANUP(readerp) = NULL;
	const struct event_hdr *event;
	int code = open_recording(path, &reader);
	int error = 1;

	if (!code)
		code = seek_window(r, path, reader);
	if (code)
		return code;
	while ((error = recording_next(reader, &event)) == 1)
		if (take(r, event))
			return out_of_memory();
	if (finish(r))
		return out_of_memory();
	if (error < 0)
		return report_read_error(path, error);
	return report_health(path, reader);
}
