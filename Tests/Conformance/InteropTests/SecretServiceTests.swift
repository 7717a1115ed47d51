// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

/// Tests of a key slot in GNOME's keyring, on a private message bus.
@Suite(
    .enabled(
        if: isInstalled("dbus-daemon", "gnome-keyring-daemon", "secret-tool"),
        "dbus, gnome-keyring or libsecret-tools is missing: run make interop"))
struct SecretServiceTests {
    private static let story = """
        keychain="$PRODUCTS/countersign-keychain"
        echo "correct horse battery" > passphrase
        $keychain init --new-passphrase-file passphrase || exit 10
        # Child processes inherit the blocked signals of the test's threads, so only SIGKILL ends them.
        trap 'kill -KILL $keyring $bus' EXIT
        export XDG_RUNTIME_DIR="$PWD" DBUS_SESSION_BUS_ADDRESS="unix:path=$PWD/bus"
        # The bus starts no programs, because a desktop's bus would start a second, locked keyring for an early request.
        cat > bus.conf << END
        <busconfig>
            <type>session</type> <listen>$DBUS_SESSION_BUS_ADDRESS</listen>
            <policy context="default"><allow send_destination="*"/> <allow receive_sender="*"/> <allow own="*"/></policy>
        </busconfig>
        END
        dbus-daemon --config-file=bus.conf --nofork > bus.log 2>&1 &
        bus=$!
        printf "keyring's password" | gnome-keyring-daemon --foreground --unlock --components=secrets > keyring 2>&1 &
        keyring=$!
        seconds=0
        until printf ready | secret-tool store --label=ready ready ready 2> /dev/null; do
            seconds=$((seconds + 1))
            [ $seconds -lt 30 ] || { cat bus.log keyring >&2; exit 12; }
            sleep 1
        done
        $keychain verify --unlock-with desktop && exit 13
        $keychain add-slot desktop --passphrase-file passphrase || exit 14
        $keychain verify --unlock-with desktop || exit 15
        secret-tool clear service countersign-keychain || exit 16
        $keychain verify --unlock-with desktop && exit 17
        kill -KILL $keyring $bus
        $keychain verify --unlock-with desktop && exit 18
        exit 0
        """

    @Test("A key in the desktop's keyring opens a keychain, or the error has the reason")
    func story() async throws {
        let complaints = try await Script.succeeds(Self.story)
        #expect(complaints.contains("countersign: The desktop's keyring did not answer, or refused."))
        #expect(complaints.contains("countersign: The desktop's keyring has no key for this keychain."))
    }
}
