// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#ifndef COUNTERSIGN_CXML2_H
#define COUNTERSIGN_CXML2_H

#if __has_include(<libxml/tree.h>)
#include <libxml/xmlversion.h>
// The system's ICU and the ICU in Foundation have different versions, and a module cannot include both.
#undef LIBXML_ICU_ENABLED
#include <libxml/SAX2.h>
#include <libxml/c14n.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/tree.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <libxml/xmlregexp.h>

/// Frees memory that libxml2 allocated. Swift 6 code cannot access xmlFree, which is a mutable global variable.
static inline void xml_free(void *memory) { xmlFree(memory); }

/// The generic error handler of a thread and its context; by default, libxml2 prints to standard error.
typedef struct {
    xmlGenericErrorFunc function;
    void *context;
} xml_messages;

static inline void xml_ignore(void *context, const char *message, ...) {}

/// Silences libxml2's error messages in this thread, and returns the previous handler for xml_restore.
static inline xml_messages xml_silence(void) {
    xml_messages before = {xmlGenericError, xmlGenericErrorContext};
    xmlSetGenericErrorFunc(NULL, xml_ignore);
    return before;
}

/// Restores the error handler that xml_silence replaced.
static inline void xml_restore(xml_messages before) { xmlSetGenericErrorFunc(before.context, before.function); }

#else
#error "libxml2's headers are missing: install libxml2-dev (Debian) or libxml2-devel (Fedora)"
#endif

#endif
