// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#ifndef COUNTERSIGN_CXML2_H
#define COUNTERSIGN_CXML2_H

#if __has_include(<libxml/tree.h>)
#include <libxml/xmlversion.h>
// The system's ICU is another version than the one in Foundation, and no module can have both.
#undef LIBXML_ICU_ENABLED
#include <libxml/SAX2.h>
#include <libxml/c14n.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/tree.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <libxml/xmlregexp.h>

/// Frees what libxml2 allocated. Its own xmlFree is a variable, which Swift cannot know to stay the same.
static inline void xml_free(void *memory) { xmlFree(memory); }

/// Where libxml2 sends the messages of a thread that no other function takes; by default to the standard error.
typedef struct {
    xmlGenericErrorFunc function;
    void *context;
} xml_messages;

static inline void xml_ignore(void *context, const char *message, ...) {}

/// Has libxml2 print nothing in this thread, and returns what xml_restore needs.
static inline xml_messages xml_silence(void) {
    xml_messages before = {xmlGenericError, xmlGenericErrorContext};
    xmlSetGenericErrorFunc(NULL, xml_ignore);
    return before;
}

/// Ends what xml_silence began.
static inline void xml_restore(xml_messages before) { xmlSetGenericErrorFunc(before.context, before.function); }

#else
#error "libxml2's headers are missing: install libxml2-dev (Debian) or libxml2-devel (Fedora)"
#endif

#endif
