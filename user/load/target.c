/* SPDX-License-Identifier: BSD-2-Clause */
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "user/base/units.h"
#include "user/load/target.h"

/* HOST, [HOST], with :PORT or without. */
static const char *parse_place(const char *word, size_t nr, struct target *ret)
{
	const char *host = word, *end = word + nr, *host_end, *port = NULL;

	if (*word == '[') {
		host++;
		host_end = memchr(host, ']', (size_t)(end - host));
		if (!host_end)
			return "the bracket before the address does not end";
		if (host_end + 1 < end && host_end[1] != ':')
			return "after the bracket, :PORT is expected";
		if (host_end + 1 < end)
			port = host_end + 2;
	} else {
		host_end = memchr(host, ':', nr);
		if (host_end)
			port = host_end + 1;
		else
			host_end = end;
	}
	if (host_end == host || (size_t)(host_end - host) >= sizeof(ret->host))
		return "there is no host name, or it is too long";
	memcpy(ret->host, host, (size_t)(host_end - host));
	ret->host[host_end - host] = '\0';
	if (!port)
		return NULL;
	if (end - port < 1 || (size_t)(end - port) >= sizeof(ret->port))
		return "the port is a number from 1 to 65535";
	memcpy(ret->port, port, (size_t)(end - port));
	ret->port[end - port] = '\0';
	return NULL;
}

const char *target_parse(const char *word, struct target *ret)
{
	uint64_t port;
	const char *wrong;
	size_t nr;

	*ret = (struct target){.path = "/"};
	if (!strncmp(word, "https://", 8))
		return "https is not spoken; put a plain-text port or a TLS proxy in between";
	if (!strncmp(word, "http://", 7)) {
		ret->http = true;
		word += 7;
	} else if (strstr(word, "://")) {
		return "only http:// and raw HOST:PORT are spoken";
	}
	nr = strcspn(word, "/?#");
	if (word[nr] == '/')
		ret->path = word + nr;
	else if (word[nr])
		return "a path begins with /";
	if (!ret->http && word[nr])
		return "a raw target is HOST:PORT and has no path; write http:// for HTTP";
	wrong = parse_place(word, nr, ret);
	if (wrong)
		return wrong;
	if (!*ret->port && !ret->http)
		return "a raw target needs its port: HOST:PORT";
	snprintf(ret->header, sizeof(ret->header), "%.*s", (int)nr, word);
	if (!*ret->port)
		strcpy(ret->port, "80");
	return units_parse_number(ret->port, 1, 65535, &port)
		       ? "the port is a number from 1 to 65535"
		       : NULL;
}

const char *target_resolve(const struct target *t, struct load_options *options)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG},
			*found = NULL;
	uint64_t port;
	int error = getaddrinfo(t->host, t->port, &hints, &found);

	if (error == EAI_NONAME ||
	    error == EAI_ADDRFAMILY) { /* no network but loopback, and that is meant */
		hints.ai_flags = 0;
		error = getaddrinfo(t->host, t->port, &hints, &found);
	}
	if (error)
		return gai_strerror(error);
	memcpy(&options->address, found->ai_addr, found->ai_addrlen);
	options->address_bytes = found->ai_addrlen;
	freeaddrinfo(found);
	units_parse_number(t->port, 1, 65535, &port);
	options->peer = (uint16_t)port;
	return NULL;
}
