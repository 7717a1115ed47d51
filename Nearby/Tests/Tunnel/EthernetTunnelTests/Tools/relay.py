#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Relays between two peers: forwards TCP, and UDP with the faults that its standard input specifies.

Usage: relay.py PORT TARGET...
  Lines of standard input: "drop PERCENT", "flip PERCENT", "replay PERCENT", "reorder PERCENT", "narrow BYTES" (longer IP packets are
  dropped silently), "rebind" (another source port, towards the next target), "clear". Each is answered by a line with the current
  counts. TCP goes to the first target.
"""

import os
import random
import selectors
import socket
import sys

port, targets = int(sys.argv[1]), sys.argv[2:]
picker = selectors.DefaultSelector()
faults, counts = {}, {"passed": 0, "dropped": 0, "narrowed": 0, "flipped": 0, "replayed": 0, "reordered": 0}
front = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
front.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
front.bind(("0.0.0.0", port))
client, back, held, recorded = None, None, None, []
dice = random.Random(7)


def rebind():
    global back
    if back:
        picker.unregister(back)
        back.close()
    target = targets[0]
    targets.append(targets.pop(0))
    back = socket.socket(socket.AF_INET6 if ":" in target else socket.AF_INET, socket.SOCK_DGRAM)
    back.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
    back.connect((target, port))
    picker.register(back, selectors.EVENT_READ, "back")


def happens(fault):
    return dice.random() * 100 < faults.get(fault, 0)


def pass_on(data, send):
    """Sends a datagram, after applying the faults."""
    global held
    if happens("drop"):
        counts["dropped"] += 1
        return
    if 28 + len(data) > faults.get("narrow", 1 << 16):
        counts["narrowed"] += 1
        return
    if happens("flip"):
        damaged = bytearray(data)
        damaged[dice.randrange(len(damaged))] ^= 1 << dice.randrange(8)
        counts["flipped"] += 1
        data = bytes(damaged)
    if held is None and happens("reorder"):
        held = (data, send)
        counts["reordered"] += 1
        return
    counts["passed"] += 1
    send(data)
    if held:
        late, held_send = held
        held = None
        held_send(late)
    recorded.append((data, send))
    del recorded[:-64]
    if happens("replay"):
        counts["replayed"] += 1
        old, old_send = dice.choice(recorded)
        old_send(old)


def to_client(data):
    if client:
        front.sendto(data, client)


def to_target(data):
    try:
        back.send(data)
    except OSError:
        pass


first = (targets[0], port)
rebind()
listener = socket.create_server(("0.0.0.0", port))
picker.register(front, selectors.EVENT_READ, "front")
picker.register(listener, selectors.EVENT_READ, "listener")
picker.register(sys.stdin, selectors.EVENT_READ, "stdin")
pairs = {}
print("ready", flush=True)
while True:
    for key, _ in picker.select():
        if key.data == "front":
            data, client = front.recvfrom(65536)
            pass_on(data, to_target)
        elif key.data == "back":
            try:
                # The event may belong to the previous socket, and this one may have no data.
                pass_on(back.recv(65536, socket.MSG_DONTWAIT), to_client)
            except OSError:
                pass
        elif key.data == "listener":
            one = listener.accept()[0]
            try:
                two = socket.create_connection(first, timeout=2)
            except OSError:
                one.close()
                continue
            pairs[one], pairs[two] = two, one
            picker.register(one, selectors.EVENT_READ, "pair")
            picker.register(two, selectors.EVENT_READ, "pair")
        elif key.data == "pair":
            if key.fileobj not in pairs:
                continue
            other = pairs[key.fileobj]
            try:
                data = key.fileobj.recv(65536)
            except OSError:
                data = b""
            if data:
                other.sendall(data)
                continue
            for end in (key.fileobj, other):
                picker.unregister(end)
                del pairs[end]
                end.close()
        else:
            words = os.read(0, 4096).decode().split()
            if not words:
                sys.exit(0)
            if words[0] == "rebind":
                rebind()
            elif words[0] == "clear":
                faults.clear()
            else:
                faults[words[0]] = float(words[1])
            print(" ".join(f"{name}={count}" for name, count in counts.items()), flush=True)
