/* SPDX-License-Identifier: MIT */
/*
 * Links and routes of machine files. A name of nodes may end with '*'; a route that comes from such a line is replaced
 * by a line that names both of its nodes.
 */
#include <stdlib.h>
#include <string.h>

#include "core/machine/platform_parts.h"

/* Nodes that a word matches. */
struct route_nodes {
	char word[XY__PLATFORM_WORD];
	size_t compared; /* characters to compare */
	bool general;
};

/* The rest of a route line after the nodes. */
struct route_line {
	struct route_nodes from, to;
	bool both; /* and back */
	bool has_latency, has_rate;
	struct xy__platform_route route;
};

static unsigned route_find_link(const struct xy__platform *p, const char *name)
{
	unsigned link = 0;

	while (link < p->nlinks && strcmp(p->links[link].name, name))
		link++;
	return link;
}

bool xy__xym_read_link(struct xy__xym_reader *r)
{
	struct xy__platform *p = r->p;
	struct xy__platform_link link, *links;

	if (!xy__xym_name(r, link.name, sizeof link.name, "a link"))
		return false;
	if (route_find_link(p, link.name) < p->nlinks)
		return xy__xym_wrong(r, "there is a link \"%s\" already", link.name);
	if (!xy__xym_time(r, &link.latency_us, "the latency of a link") ||
	    !xy__xym_rate(r, &link.bytes_per_us, "the bandwidth of a link") || !xy__xym_ended(r))
		return false;
	if (p->nlinks == XY__PLATFORM_LINKS)
		return xy__xym_wrong(r, "too many links (%d at most)", XY__PLATFORM_LINKS);
	links = realloc(p->links, (p->nlinks + 1) * sizeof *links);
	if (!links) {
		r->no_memory = true;
		return false;
	}
	p->links = links;
	p->links[p->nlinks++] = link;
	return true;
}

static bool route_matches(const struct route_nodes *nodes, const struct xy__platform_node *node)
{
	return !strncmp(nodes->word, node->name, nodes->compared);
}

static bool route_read_nodes(struct xy__xym_reader *r, struct route_nodes *nodes)
{
	const struct xy__platform *p = r->p;
	size_t length;

	if (!xy__xym_word(r, nodes->word, sizeof nodes->word, "a memory node"))
		return false;
	length = strlen(nodes->word);
	nodes->general = nodes->word[length - 1] == '*';
	nodes->compared = nodes->general ? length - 1 : length + 1;
	for (unsigned i = 0; i < p->nnodes; i++)
		if (route_matches(nodes, &p->nodes[i]))
			return true;
	return xy__xym_unknown(r, "memory node", nodes->word, p->nodes[0].name, sizeof p->nodes[0], p->nnodes);
}

static bool route_read_arrow(struct xy__xym_reader *r, bool *both)
{
	char word[XY__PLATFORM_WORD];

	if (!xy__xym_word(r, word, sizeof word, "-> or <->"))
		return false;
	*both = !strcmp(word, "<->");
	return *both || !strcmp(word, "->") ||
	       xy__xym_wrong(r, "expected -> or <-> between two nodes, not \"%s\"", word);
}

static bool route_add_link(struct xy__xym_reader *r, struct xy__platform_route *route, const char *name)
{
	const struct xy__platform *p = r->p;
	unsigned link = route_find_link(p, name);

	if (link == p->nlinks)
		return xy__xym_unknown(r, "link", name, p->links ? p->links[0].name : "", sizeof p->links[0],
				       p->nlinks);
	for (unsigned i = 0; i < route->nlinks; i++)
		if (route->links[i] == link)
			return xy__xym_wrong(r, "the link \"%s\" is named twice", name);
	if (route->nlinks == XY__PLATFORM_ROUTE)
		return xy__xym_wrong(r, "a route has at most %d links", XY__PLATFORM_ROUTE);
	route->links[route->nlinks++] = link;
	return true;
}

/* "via LINK ... latency TIME bandwidth RATE" */
static bool route_read_way(struct xy__xym_reader *r, struct route_line *line)
{
	struct xy__platform_route *route = &line->route;
	char word[XY__PLATFORM_WORD];

	if (!xy__xym_word(r, word, sizeof word, "via and links"))
		return false;
	if (strcmp(word, "via"))
		return xy__xym_wrong(r, "expected via and links, not \"%s\"", word);
	while (!xy__lines_ended(&r->lines)) {
		bool fine;

		if (!xy__xym_word(r, word, sizeof word, "a link"))
			return false;
		if (!strcmp(word, "latency"))
			fine = line->has_latency = xy__xym_time(r, &route->latency_us, "the latency of a route");
		else if (!strcmp(word, "bandwidth"))
			fine = line->has_rate = xy__xym_rate(r, &route->bytes_per_us, "the bandwidth of a route");
		else
			fine = route_add_link(r, route, word);
		if (!fine)
			return false;
	}
	return route->nlinks > 0 || xy__xym_wrong(r, "a route needs a link after via");
}

/* Completes a route from its links where the line gives nothing. */
static bool route_conclude(struct xy__xym_reader *r, struct route_line *line)
{
	struct xy__platform_route *route = &line->route;
	const struct xy__platform_link *slowest = &r->p->links[route->links[0]];

	for (unsigned i = 0; i < route->nlinks; i++) {
		const struct xy__platform_link *link = &r->p->links[route->links[i]];

		if (!line->has_latency)
			route->latency_us += link->latency_us;
		if (link->bytes_per_us < slowest->bytes_per_us)
			slowest = link;
	}
	if (!line->has_rate)
		route->bytes_per_us = slowest->bytes_per_us;
	return route->bytes_per_us <= slowest->bytes_per_us ||
	       xy__xym_wrong(r, "the route can't be faster than its link \"%s\", which has %gMB/s", slowest->name,
			     slowest->bytes_per_us);
}

static bool route_set(struct xy__xym_reader *r, const struct route_line *line, unsigned from, unsigned to)
{
	struct xy__platform *p = r->p;
	unsigned place = from * p->nnodes + to;
	bool general = line->from.general || line->to.general, there = p->routes[place].nlinks > 0;

	if (there && !r->general[place] && general)
		return true;
	if (there && r->general[place] == general)
		return xy__xym_wrong(r, "there is a route from %s to %s already", p->nodes[from].name,
				     p->nodes[to].name);
	p->routes[place] = line->route;
	r->general[place] = general;
	return true;
}

bool xy__xym_read_route(struct xy__xym_reader *r)
{
	struct route_line line = { .both = false };
	const struct xy__platform *p = r->p;
	unsigned nset = 0;

	if (!route_read_nodes(r, &line.from) || !route_read_arrow(r, &line.both) || !route_read_nodes(r, &line.to) ||
	    !route_read_way(r, &line) || !route_conclude(r, &line))
		return false;
	for (unsigned from = 0; from < p->nnodes; from++)
		for (unsigned to = 0; to < p->nnodes; to++) {
			bool there = route_matches(&line.from, &p->nodes[from]) &&
				     route_matches(&line.to, &p->nodes[to]);
			bool back = line.both && route_matches(&line.from, &p->nodes[to]) &&
				    route_matches(&line.to, &p->nodes[from]);

			if (from == to || (!there && !back))
				continue;
			nset++;
			if (!route_set(r, &line, from, to))
				return false;
		}
	return nset > 0 || xy__xym_wrong(r, "a route must connect two different memory nodes");
}
