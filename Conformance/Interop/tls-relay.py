# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""Terminates the client's TLS with another certificate that is trusted like the origin's, and forwards everything to the origin.

An attacker who obtained a certificate from an authority by deception can do this. Only channel binding reveals it.
"""

import argparse
import asyncio
import contextlib
import ssl


async def pump(source, sink):
    with contextlib.suppress(OSError):
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
    # The other direction ends with this one.
    sink.close()


async def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("listen", "to", "certificate", "key", "anchors"):
        parser.add_argument(f"--{option}", required=True)
    options = parser.parse_args()
    inside = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    inside.load_cert_chain(options.certificate, options.key)
    outside = ssl.create_default_context(cafile=options.anchors)

    async def relay(from_client, to_client):
        from_origin, to_origin = await asyncio.open_connection(
            "127.0.0.1", int(options.to), ssl=outside, server_hostname="localhost"
        )
        await asyncio.gather(pump(from_client, to_origin), pump(from_origin, to_client))

    server = await asyncio.start_server(relay, "127.0.0.1", int(options.listen), ssl=inside)
    await server.serve_forever()


asyncio.run(main())
