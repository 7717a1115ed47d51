# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""Reads and writes DER (X.690), and writes invalid DER for some mutations."""

SEQUENCE, SET, OCTETS, BITS, INTEGER, BOOLEAN, OID, NULL = 0x30, 0x31, 0x04, 0x03, 0x02, 0x01, 0x06, 0x05
UTF8, PRINTABLE, TELETEX, IA5, BMP = 0x0C, 0x13, 0x14, 0x16, 0x1E
NUMERIC, VISIBLE, UNIVERSAL = 0x12, 0x1A, 0x1C
UTC, GENERALIZED = 0x17, 0x18


class Malformed(Exception):
    """The bytes are not DER with tags of one octet."""


def length(count):
    """The length octets in their shortest form."""
    if count < 0x80:
        return bytes([count])
    octets = count.to_bytes((count.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(octets)]) + octets


def tlv(tag, *contents):
    content = b"".join(contents)
    return bytes([tag]) + length(len(content)) + content


def sequence(*contents):
    return tlv(SEQUENCE, *contents)


def explicit(number, *contents):
    return tlv(0xA0 | number, *contents)


def implicit(number, content):
    return tlv(0x80 | number, content)


def integer(value):
    return tlv(INTEGER, value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True))


def oid(text):
    """The content octets of an object identifier, without tag and length."""
    first, second, *rest = (int(part) for part in text.split("."))
    octets = b""
    for part in [first * 40 + second, *rest]:
        group = bytes([part & 0x7F])
        while part := part >> 7:
            group = bytes([0x80 | part & 0x7F]) + group
        octets += group
    return octets


def identifier(text):
    return tlv(OID, oid(text))


def dotted(content):
    """The text of an object identifier's content octets."""
    parts, value = [], 0
    for octet in content:
        value = value << 7 | octet & 0x7F
        if octet < 0x80:
            parts.append(value)
            value = 0
    if not parts:
        raise Malformed("an empty object identifier")
    first = min(parts[0] // 40, 2)
    return ".".join(str(part) for part in [first, parts[0] - 40 * first, *parts[1:]])


def split(data):
    """The elements of concatenated DER, as pairs of a tag and a content."""
    elements, place = [], 0
    while place < len(data):
        start, tag = place, data[place]
        if place + 2 > len(data) or tag & 0x1F == 0x1F:
            raise Malformed(f"no element at {start}")
        count = data[place + 1]
        place += 2
        if count >= 0x80:
            size = count & 0x7F
            count = int.from_bytes(data[place : place + size], "big")
            if not 1 <= size <= 4 or count < 0x80 or count >> 8 * (size - 1) == 0:
                raise Malformed(f"a length that is not DER at {start}")
            place += size
        if place + count > len(data):
            raise Malformed(f"an element that ends too early at {start}")
        elements.append((tag, data[place : place + count]))
        place += count
    return elements


def inside(data, tag=SEQUENCE):
    """The elements of a single constructed element."""
    elements = split(data)
    if len(elements) != 1 or elements[0][0] != tag:
        raise Malformed(f"not one element with the tag {tag:#x}")
    return split(elements[0][1])


class Node:
    """An element as a tree, whose leaves have the content of primitive elements."""

    def __init__(self, tag, content):
        self.tag, self.content, self.children = tag, content, None
        self.form = "der"
        if tag & 0x20:
            try:
                self.children = [Node(*element) for element in split(content)]
            except Malformed:
                pass

    def encoded(self):
        content = self.content if self.children is None else b"".join(child.encoded() for child in self.children)
        if self.form == "long":
            octets = len(content).to_bytes(4, "big")
            return bytes([self.tag, 0x84]) + octets + content
        if self.form == "indefinite":
            return bytes([self.tag, 0x80]) + content + b"\0\0"
        return tlv(self.tag, content)

    def all(self):
        """Every node of the tree with its parent, the root first."""
        yield self, None
        yield from self._below()

    def _below(self):
        for child in self.children or []:
            yield child, self
            yield from child._below()
