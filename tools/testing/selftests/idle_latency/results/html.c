// SPDX-License-Identifier: GPL-2.0
/* Pieces of the page that are there often. */
#include <string.h>

#include "html.h"

/* How many bytes the character of UTF-8 has that begins here; 0: it is none. */
static size_t character_size(const char *text)
{
	unsigned char first = *text;
	unsigned char second = first < 0x80 ? 0 : text[1];
	size_t size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 :
		      first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;

	/* Longer than needed, a half of a pair of UTF-16, or beyond Unicode. */
	if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
	    (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90))
		return 0;

	for (size_t i = 1; i < size; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 0;
	return size;
}

static void put_character(FILE *page, const char *text, size_t size)
{
	bool control = (unsigned char)*text < ' ' || *text == 0x7f;

	if (!size || control)
		fputc(*text == '\t' ? ' ' : '?', page);
	else if (*text == '&')
		fputs("&amp;", page);
	else if (*text == '<')
		fputs("&lt;", page);
	else if (*text == '>')
		fputs("&gt;", page);
	else if (*text == '"')
		fputs("&quot;", page);
	else
		fwrite(text, 1, size, page);
}

void html_text(FILE *page, const char *text)
{
	while (*text) {
		size_t size = character_size(text);

		put_character(page, text, size);
		text += size ? size : 1;
	}
}

static void begin_cell(FILE *page, const char *label, const char *class)
{
	fprintf(page, "<td%s", class);
	if (label)
		fprintf(page, " data-label=\"%s\"", label);
	fputc('>', page);
}

void html_cell(FILE *page, const char *label, const char *text)
{
	begin_cell(page, label, "");
	html_text(page, text);
	fputs("</td>", page);
}

void html_number(FILE *page, const char *label, bool known, __u64 number)
{
	begin_cell(page, label, " class=\"n\"");
	if (known)
		fprintf(page, "%llu", number);
	else
		fputs("-", page);
	fputs("</td>", page);
}

void html_verdict(FILE *page, const struct result *result)
{
	fprintf(page, "<span class=\"%s\">%s</span>", result->verdict,
		result->verdict);
}
