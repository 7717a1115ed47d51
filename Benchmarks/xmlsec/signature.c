// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The xmlsec program of scripts/bench/signatures. It answers each request on standard input, "PREFIX MODE COUNT", with the
// nanoseconds of processor time that COUNT signatures or verifications took. PREFIX stands for PREFIX-template.xml and
// PREFIX-signed.xml, and the folder contains key.pem. A turn parses the document, and a signed one is written again.

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlmemory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xmlsec/crypto.h>
#include <xmlsec/xmldsig.h>
#include <xmlsec/xmlsec.h>
#include <xmlsec/xmltree.h>

static void fail(const char *what) {
    fprintf(stderr, "xmlsec-bench: %s\n", what);
    exit(1);
}

typedef struct {
    char *bytes;
    long size;
} Bytes;

static Bytes read_file(const char *prefix, const char *name) {
    char path[4096];
    Bytes result = {NULL, 0};
    if (snprintf(path, sizeof path, "%s%s", prefix, name) >= (int)sizeof path) fail("the path is too long");
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0 || (result.size = ftell(file)) <= 0) fail(path);
    rewind(file);
    result.bytes = malloc((size_t)result.size);
    if (!result.bytes || fread(result.bytes, 1, (size_t)result.size, file) != (size_t)result.size) fail(path);
    fclose(file);
    return result;
}

// Declares the attribute Id of the body as an identifier, as xmlsec's program does for --id-attr.
static void add_identifiers(xmlDocPtr document) {
    for (xmlNodePtr node = xmlDocGetRootElement(document)->children; node; node = node->next) {
        xmlAttrPtr attribute = node->type == XML_ELEMENT_NODE ? xmlHasProp(node, BAD_CAST "Id") : NULL;
        if (!attribute) continue;
        xmlChar *value = xmlNodeListGetString(document, attribute->children, 1);
        xmlAddID(NULL, document, value, attribute);
        xmlFree(value);
    }
}

static void run(Bytes bytes, xmlSecKeyPtr key, int signs) {
    int options = XML_PARSE_NONET | XML_PARSE_HUGE;
    xmlDocPtr document = xmlReadMemory(bytes.bytes, (int)bytes.size, NULL, NULL, options);
    if (!document) fail("the document cannot be parsed");
    add_identifiers(document);
    xmlNodePtr node = xmlSecFindNode(xmlDocGetRootElement(document), xmlSecNodeSignature, xmlSecDSigNs);
    xmlSecDSigCtxPtr context = xmlSecDSigCtxCreate(NULL);
    if (!node || !context) fail("there is no signature");
    context->signKey = xmlSecKeyDuplicate(key);
    if (signs) {
        if (xmlSecDSigCtxSign(context, node) < 0) fail("it is not signed");
        xmlChar *text = NULL;
        int size = 0;
        xmlDocDumpMemoryEnc(document, &text, &size, "UTF-8");
        if (!text) fail("it is not written");
        xmlFree(text);
    } else if (xmlSecDSigCtxVerify(context, node) < 0 || context->status != xmlSecDSigStatusSucceeded) {
        fail("it does not verify");
    }
    xmlSecDSigCtxDestroy(context);
    xmlFreeDoc(document);
}

int main(int count, char **arguments) {
    if (count != 2) fail("give the path of key.pem");
    xmlInitParser();
    if (xmlSecInit() < 0 || xmlSecCryptoAppInit(NULL) < 0 || xmlSecCryptoInit() < 0) fail("xmlsec does not start");
    xmlSecKeyPtr key = xmlSecCryptoAppKeyLoad(arguments[1], xmlSecKeyDataFormatPem, NULL, NULL, NULL);
    if (!key) fail("the key cannot be read");
    printf("xmlsec %s\n", XMLSEC_VERSION);
    fflush(stdout);
    char prefix[4000], mode[16];
    int times;
    while (scanf("%3999s %15s %d", prefix, mode, &times) == 3) {
        int signs = strcmp(mode, "sign") == 0;
        Bytes bytes = read_file(prefix, signs ? "-template.xml" : "-signed.xml");
        clock_t start = clock();
        for (int turn = 0; turn < times; turn++) run(bytes, key, signs);
        printf("%.0f\n", (double)(clock() - start) * (1e9 / CLOCKS_PER_SEC));
        fflush(stdout);
        free(bytes.bytes);
    }
    return 0;
}
