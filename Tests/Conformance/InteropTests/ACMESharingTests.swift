// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if PostgreSQL
    import Testing

    /// Tests of several ACME servers with one database, one of which is killed.
    @Suite(
        .enabled(if: PostgreSQL.programs != nil, "PostgreSQL is missing: run make interop"),
        .enabled(
            if: isInstalled("nginx", "openssl", "python3", "curl"),
            "nginx, openssl, python3 or curl is missing: run make interop"))
    struct ACMESharingTests {
        /// Starts servers with copies of the authority's folder, and a proxy that distributes requests to them in turn.
        ///
        /// The servers find a table that another process has created and not yet committed.
        private static let servers =
            PostgreSQL.start + """
                ca="$PRODUCTS/countersign-ca"
                trap 'kill -KILL $servers; stop' EXIT
                $ca init Home --for localhost --key-store file --database "$database" || exit 14
                $ca export -o root.pem && $ca issue --server localhost --file proxy || exit 15
                query "BEGIN; LOCK TABLE head IN SHARE UPDATE EXCLUSIVE MODE;
                    CREATE TABLE nonce (nonce TEXT PRIMARY KEY, ends BIGINT NOT NULL); SELECT pg_sleep(2); COMMIT" > slow &
                acme=$(free) web=$(free) ports=
                url="https://localhost:$acme/acme"
                for name in one two three; do
                    cp -r "$COUNTERSIGN_HOME" $name && port=$(free) && ports="$ports $port" || exit 16
                    COUNTERSIGN_HOME="$PWD/$name" "$PRODUCTS/countersign-ca-serve" --port $port --acme "$url" --behind-proxy \\
                        --http01-port $web > $name.log 2>&1 &
                    servers="$servers $!" last=$!
                done
                mkdir -p web/.well-known/acme-challenge temporary
                python3 -m http.server -d web --bind 127.0.0.1 $web 2> requests &
                servers="$servers $!"
                cat > nginx.conf <<END
                user $(id -un);
                daemon off; master_process off; pid nginx.pid; error_log nginx.log; events {}
                http {
                    client_body_temp_path temporary; proxy_temp_path temporary; fastcgi_temp_path temporary;
                    uwsgi_temp_path temporary; scgi_temp_path temporary;
                    log_format place '\\$upstream_addr'; access_log places place;
                    upstream servers { $(for port in $ports; do echo "server 127.0.0.1:$port fail_timeout=60;"; done) }
                    server {
                        listen 127.0.0.1:$acme ssl; ssl_certificate proxy.pem; ssl_certificate_key proxy-key.pem;
                        location / { proxy_pass http://servers; proxy_next_upstream error timeout non_idempotent; }
                    }
                }
                END
                nginx -p "$PWD" -e nginx.log -c nginx.conf &
                servers="$servers $!"
                fail() { cat nginx.log *.log >&2; exit "$1"; }
                for turn in $(seq 121); do
                    [ $turn != 121 ] || fail 17
                    for port in $ports; do
                        curl -s "http://127.0.0.1:$port/acme/directory" | grep -q newNonce || { sleep 0.25; continue 2; }
                    done
                    curl -s --cacert root.pem "$url/directory" | grep -q newNonce && break
                    sleep 0.25
                done

                """

        /// Starts three clients that order at the same time.
        ///
        /// An order whose server is killed may fail, but succeeds if it is placed again.
        private static let orders = """
            cat > loop.sh <<'END'
            export COUNTERSIGN_HOME="$PWD/client-$1"
            mkdir out-$1
            for number in $(seq 8); do
                for attempt in 1 2 3; do
                    "$PRODUCTS/countersign-ca" issue --acme "$URL/directory" --anchor root.pem --server localhost --webroot web \\
                        --out out-$1 --file "$number" --force && touch out-$1/$number.done && break
                    rm -f out-$1/$number*.pem
                done
            done > client-$1.log 2>&1
            END
            export URL=$url
            sh loop.sh 1 & one=$!
            sh loop.sh 2 & two=$!
            sh loop.sh 3 & three=$!
            while [ $(ls out-*/*.done 2> /dev/null | wc -l) -lt 6 ]; do
                kill -0 $one || fail 20
                sleep 0.1
            done
            kill -KILL $last
            wait $one $two $three
            test $(ls out-*/*.done | wc -l) = 24 || fail 21
            for port in $ports; do grep -q ":$port" places || fail 22; done
            $ca list --all --json > issued.json || fail 23
            python3 - <<'END' || fail 24
            import collections, glob, json, subprocess
            issued = [one["serialNumber"].lower() for one in json.load(open("issued.json"))["certificates"]]
            assert not [serial for serial, count in collections.Counter(issued).items() if count > 1]
            for done in glob.glob("out-*/*.done"):
                command = ("openssl", "x509", "-noout", "-serial", "-in", done.replace(".done", ".pem"))
                serial = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip().split("=")[1]
                assert serial.lower().lstrip("0") in [one.lstrip("0") for one in issued], serial
            END
            $ca audit || fail 25
            exit 0
            """

        @Test("Three servers with one database keep acknowledged orders, even if one of them is killed")
        func shared() async throws {
            try await Script.succeeds(Self.servers + Self.orders, ["PROGRAMS": try #require(PostgreSQL.programs)])
        }
    }
#endif
