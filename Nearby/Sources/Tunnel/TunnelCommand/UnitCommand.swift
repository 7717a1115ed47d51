// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser

/// The command `countersign tunnel unit`, which prints a systemd unit.
struct UnitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unit",
        abstract: "Print a systemd unit that runs a tunnel without root.",
        discussion: """
            The arguments after -- are those of the tunnel. The service runs as a separate user with the permission to change the network and \
            no other; systemd passes it the identity, which only root can read.

            Example: countersign tunnel unit -- up hub.example.net --bridge br0 --interface eth1 --identity /etc/tunnel/me.pem --ca /etc/tunnel/ca.pem
            """)

    @Option(help: ArgumentHelp("The path of the program countersign-tunnel.", valueName: "path"))
    var program = "/usr/bin/countersign-tunnel"

    @Argument(parsing: .postTerminator, help: "The tunnel command that the service runs.")
    var arguments: [String] = []

    func validate() throws {
        guard let first = arguments.first, ["up", "listen", "plain", "static"].contains(first) else {
            throw ValidationError("Specify the subcommand up, listen, static or plain and its arguments after --.")
        }
        for argument in arguments where argument.contains(where: \.isNewline) {
            throw ValidationError("An argument contains a line break.")
        }
    }

    func run() {
        print(TunnelUnit(program: program, arguments: arguments).text, terminator: "")
    }
}

/// The contents of a systemd unit.
struct TunnelUnit {
    let program: String
    let arguments: [String]

    /// The options whose files need to be readable only by root.
    private static let secrets = [
        "--identity": "identity", "--private-key": "private-key", "--preshared-key": "preshared-key",
    ]

    var text: String {
        var (command, credentials, arguments) = ([Self.quoted(program)], [String](), arguments[...])
        while let argument = arguments.popFirst() {
            command.append(Self.quoted(argument))
            guard let name = Self.secrets[argument], let path = arguments.popFirst() else { continue }
            credentials.append("LoadCredential=\(name):\(path.replacing("%", with: "%%"))\n")
            command.append("${CREDENTIALS_DIRECTORY}/\(name)")
        }
        let capabilities = self.arguments.first == "plain" ? "CAP_NET_ADMIN CAP_NET_RAW" : "CAP_NET_ADMIN"
        return """
            [Unit]
            Description=Ethernet tunnel (\(self.arguments.prefix(2).joined(separator: " ").replacing("%", with: "%%")))
            Wants=network-online.target
            After=network-online.target

            [Service]
            ExecStart=\(command.joined(separator: " "))
            \(credentials.joined())Restart=always
            RestartSec=1
            DynamicUser=yes
            AmbientCapabilities=\(capabilities)
            CapabilityBoundingSet=\(capabilities)
            NoNewPrivileges=yes
            DevicePolicy=closed
            DeviceAllow=/dev/net/tun rw
            ProtectSystem=strict
            ProtectHome=read-only
            PrivateTmp=yes
            ProtectKernelModules=yes
            ProtectKernelTunables=yes
            ProtectControlGroups=yes
            RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK AF_UNIX
            RestrictNamespaces=yes
            LockPersonality=yes
            MemoryDenyWriteExecute=yes
            SystemCallArchitectures=native

            [Install]
            WantedBy=multi-user.target

            """
    }

    /// Returns an argument quoted for systemd.service(5).
    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("%", with: "%%")
            .replacing("$", with: "$$")
        let isPlain =
            !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./:,=@+%".contains($0)) }
        return isPlain ? escaped : "\"\(escaped)\""
    }
}
