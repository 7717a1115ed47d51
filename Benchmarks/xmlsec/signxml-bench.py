# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""The signxml program of scripts/bench/signatures, which answers the same requests as signature.c.

Usage: signxml-bench.py KEY CERTIFICATE
"""

import pathlib
import sys
import time

import signxml
from lxml import etree

KEY, CERTIFICATE = (pathlib.Path(path).read_text() for path in sys.argv[1:3])
EXCLUSIVE = signxml.CanonicalizationMethod.EXCLUSIVE_XML_CANONICALIZATION_1_0
PARSER = etree.XMLParser(huge_tree=True, resolve_entities=False)


def sign(document):
    signer = signxml.XMLSigner(method=signxml.methods.detached, c14n_algorithm=EXCLUSIVE)
    root = etree.fromstring(document, PARSER)
    signature = signer.sign(root, key=KEY, cert=CERTIFICATE, reference_uri="#body", id_attribute="Id")
    root[0].append(signature)
    etree.tostring(root)


def verify(document):
    config = signxml.SignatureConfiguration(location=".//")
    root = etree.fromstring(document, PARSER)
    signxml.XMLVerifier().verify(
        root, x509_cert=CERTIFICATE, expect_config=config, id_attribute="Id", parser=PARSER)


def main():
    print(f"signxml {signxml.__version__ if hasattr(signxml, '__version__') else ''}".strip(), flush=True)
    for line in sys.stdin:
        prefix, mode, count = line.split()
        work = sign if mode == "sign" else verify
        document = pathlib.Path(f"{prefix}-{'document' if mode == 'sign' else 'signed'}.xml").read_bytes()
        start = time.process_time_ns()
        for _ in range(int(count)):
            work(document)
        print(time.process_time_ns() - start, flush=True)


main()
