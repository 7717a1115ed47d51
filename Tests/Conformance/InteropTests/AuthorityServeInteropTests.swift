// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

/// Tests of an authority's server with other clients.
@Suite(
    .enabled(
        if: isInstalled("curl", "nginx", "openssl", "python3"), "curl, nginx or openssl is missing: run make interop"))
struct AuthorityServeInteropTests {
    private static let start = """
        ca="$PRODUCTS/countersign-ca"
        port=$(free) && web=$(free) || exit 10
        at="http://127.0.0.1:$port"
        $ca init Home --for home.example --key-store file --crl-url $at/crl --ocsp-url $at/ocsp || exit 11
        trap 'kill $servers' EXIT
        serve() {
            "$PRODUCTS/countersign-ca-serve" --port $port --acme $at/acme > serve.log & servers="$servers $!"
            for _ in $(seq 100); do curl -s -o health $at/health/live && return; sleep 0.1; done
            return 1
        }

        """

    private static let stapling =
        start + """
            $ca issue --server www.home.example && $ca issue --client mary@home.example && $ca export -o root.pem || exit 12
            serve || exit 13
            cat > nginx.conf <<CONF
            daemon off; pid $PWD/nginx.pid; error_log $PWD/nginx.log; worker_processes 1; events {}
            http {
                access_log off; client_body_temp_path $PWD/t; proxy_temp_path $PWD/t; fastcgi_temp_path $PWD/t;
                uwsgi_temp_path $PWD/t; scgi_temp_path $PWD/t;
                server {
                    listen 127.0.0.1:$web ssl;
                    ssl_certificate $PWD/www.home.example.pem; ssl_certificate_key $PWD/www.home.example-key.pem;
                    ssl_stapling on; ssl_client_certificate $PWD/root.pem; ssl_verify_client optional;
                    ssl_verify_depth 3; ssl_ocsp leaf;
                    location / { return 200 "hello "; }
                }
            }
            CONF
            nginx -e "$PWD/nginx.log" -c "$PWD/nginx.conf" & servers="$servers $!"
            status() { openssl s_client -connect 127.0.0.1:$web -servername www.home.example -status < /dev/null 2>&1; }
            for _ in $(seq 50); do status | grep -q "OCSP Response Status: successful" && stapled=1 && break; sleep 0.1; done
            test "$stapled" = 1 || exit 20
            fetch() {
                curl -sS --max-time 10 --cacert root.pem --resolve www.home.example:$web:127.0.0.1 \\
                    --cert ./mary@home.example.pem --key ./mary@home.example-key.pem https://www.home.example:$web/
            }
            fetch | grep -q hello || { cat nginx.log >&2; exit 21; }
            $ca revoke mary@home.example || exit 22
            fetch | grep -q hello && exit 23
            exit 0
            """

    @Test("nginx staples the responses of 'ca serve', and checks client certificates with them") func stapling()
        async throws
    {
        try await Script.succeeds(Self.stapling)
    }

    private static let asking =
        start + """
            $ca issue --server www.home.example && $ca export -o root.pem && $ca export issuing -o issuing.pem || exit 12
            serve || exit 13
            ask() { openssl ocsp -issuer issuing.pem -cert www.home.example.pem -url $at/ocsp -CAfile root.pem "$@"; }
            ask | grep -q ": good" || exit 20
            ask -no_nonce | grep -q ": good" || exit 21
            for path in crl authority.cer acme/directory; do
                curl -sS -0 --max-time 5 -D head -o body $at/$path || exit 30
                test -s body || exit 31
                grep -qi "transfer-encoding" head && exit 32
                curl -sS --max-time 5 -I $at/$path | grep -qi "^content-length: $(wc -c < body)" || exit 33
            done
            for path in acme/nothing nothing ocsp/AAAA; do
                python3 - $port /$path <<'PYTHON' || exit 40
            import socket, sys
            connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=5)
            connection.sendall(f"HEAD {sys.argv[2]} HTTP/1.0\\r\\n\\r\\n".encode())
            answer = b""
            while part := connection.recv(65536): answer += part
            sys.exit(0 if answer.endswith(b"\\r\\n\\r\\n") else 1)
            PYTHON
            done
            printf abc | curl -sS --data-binary @- -D head -o body $at/ocsp || exit 50
            grep -qi "^cache-control: no-store" head || exit 51
            ask -reqout request.der -respout response.der > ask.log
            curl -sS --data-binary @request.der -D head -o body $at/ocsp && grep -qi "^cache-control: max-age=" head || exit 52
            exit 0
            """

    @Test("openssl, curl -0 and curl -I get complete responses, without a body for HEAD; errors are not cached")
    func asking() async throws {
        try await Script.succeeds(Self.asking)
    }

    private static let shortage =
        start + """
            ulimit -n 64
            serve || exit 12
            python3 - $port $servers <<'PYTHON' || exit 20
            import os, socket, sys, time
            port, process = int(sys.argv[1]), sys.argv[2]
            def seconds():
                fields = open(f"/proc/{process}/stat").read().split()
                return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
            silent = []
            for number in range(50):
                connection = socket.create_connection(("127.0.0.1", port), timeout=5)
                connection.sendall(b"GET / HTTP/1.1\\r\\nHos")
                silent.append(connection)
            before = seconds()
            time.sleep(1)
            if os.path.exists("/proc/self") and seconds() - before > 0.5: sys.exit("spins")
            connection = socket.create_connection(("127.0.0.1", port), timeout=30)
            connection.sendall(b"GET /health/live HTTP/1.0\\r\\n\\r\\n")
            sys.exit(0 if connection.recv(100).startswith(b"HTTP/1") else "no answer")
            PYTHON
            """

    @Test(
        "Without free descriptors the server waits without spinning, and answers after silent clients timed out"
    )
    func shortage() async throws {
        try await Script.succeeds(Self.shortage)
    }

    /// Whether a small disk can be mounted in a namespace that ends with the test.
    private static let mayMount: Bool = {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
        process.standardError = FileHandle.nullDevice
        guard getuid() == 0, (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    private static let fullDisk =
        """
        mkdir disk && mount -t tmpfs -o size=400k tmpfs disk || exit 9
        export COUNTERSIGN_HOME="$PWD/disk"

        """ + start.replacing("> serve.log &", with: "> serve.log 2> serve-errors.log &") + """
            $ca issue --server www.home.example && serve || exit 12
            ready() { curl -s -o ready.txt -w '%{http_code}' $at/health/ready; }
            test "$(ready)" = 204 || exit 20
            openssl ecparam -name prime256v1 -genkey -noout -out key.pem || exit 13
            openssl req -new -key key.pem -subj /CN=p.home.example -addext subjectAltName=DNS:p.home.example -out p.csr || exit 14
            cp /dev/zero disk/zero 2> cp.log
            sleep 6
            test "$(ready)" = 503 || exit 21
            grep -q health/ready serve-errors.log || exit 22
            rm disk/zero
            test "$(ready)" = 204 || exit 23
            mkdir small && mount -t tmpfs -o size=8k tmpfs small && cp /dev/zero small/zero 2> cp.log
            $ca issue --server q.home.example --out small && exit 24
            $ca list --all | grep -q q.home.example && exit 25
            $ca sign p.csr --yes -o small/p.pem && exit 26
            $ca sign p.csr --yes > /dev/full && exit 27
            test $($ca list --all | grep p.home.example | grep -c revoked) = 1 || exit 28
            exit 0
            """

    @Test(
        "A full disk makes the server not ready, and issues no certificate",
        .enabled(if: mayMount, "a small disk needs root and a namespace for mounts"))
    func fullDisk() async throws {
        try await Script.succeeds("exec unshare -m sh -c \"$STEPS\"", ["STEPS": Script.free + Self.fullDisk])
    }
}
