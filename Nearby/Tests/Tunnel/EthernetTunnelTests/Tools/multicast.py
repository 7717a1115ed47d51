#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Sends a datagram to a multicast group, or waits for one.

Usage: multicast.py send ADDRESS TEXT | multicast.py receive ADDRESS SECONDS
  ADDRESS is an address of the interface; the group is that of multicast DNS, 224.0.0.251.
"""

import socket
import sys

GROUP, PORT = "224.0.0.251", 5354
end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
if sys.argv[1] == "send":
    end.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(sys.argv[2]))
    end.sendto(sys.argv[3].encode(), (GROUP, PORT))
    sys.exit(0)
end.bind(("", PORT))
end.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP) + socket.inet_aton(sys.argv[2]))
end.settimeout(float(sys.argv[3]))
print("ready", flush=True)
print(end.recv(2048).decode())
