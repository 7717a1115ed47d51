#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Sends and receives raw Ethernet frames.

Usage: frames.py send INTERFACE HEX | frames.py receive INTERFACE HEX SECONDS
  receive waits for a frame that contains the bytes; it prints "ready" and then the frame. Its exit status is 1 if none arrives.
"""

import select
import socket
import sys
import time

ETH_P_ALL = 3
SOL_PACKET, PACKET_AUXDATA, TP_STATUS_VLAN_VALID = 263, 8, 0x10


def whole(data, ancillary):
    """Returns the frame with the 802.1Q tag that the kernel has removed."""
    for _, kind, content in ancillary:
        if kind == PACKET_AUXDATA:
            status, tag = int.from_bytes(content[:4], sys.byteorder), int.from_bytes(content[16:18], sys.byteorder)
            if status & TP_STATUS_VLAN_VALID:
                return data[:12] + b"\x81\x00" + tag.to_bytes(2, "big") + data[12:]
    return data


link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
link.bind((sys.argv[2], 0))
wanted = bytes.fromhex(sys.argv[3])
if sys.argv[1] == "send":
    link.send(wanted)
    sys.exit(0)
link.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
print("ready", flush=True)
end = time.monotonic() + float(sys.argv[4])
while (rest := end - time.monotonic()) > 0:
    if not select.select([link], [], [], rest)[0]:
        break
    data, ancillary, _, _ = link.recvmsg(65536, 256)
    frame = whole(data, ancillary)
    if wanted in frame:
        print(frame.hex())
        sys.exit(0)
sys.exit(1)
