// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import Countersign

/// How long to wait.
struct PatienceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("How long a connection may take to open: 30 without it.", valueName: "seconds"),
        transform: Self.seconds)
    var connectTimeout: Duration?

    @Option(
        help: ArgumentHelp(
            "How long all of it may take, challenges and redirects included; as long as it takes without it.",
            valueName: "seconds"), transform: Self.seconds)
    var maxTime: Duration?

    func apply(to configuration: inout Session.Configuration) {
        if let connectTimeout { configuration.connectTimeout = connectTimeout }
        configuration.totalTimeout = maxTime
    }

    /// A day is more than anybody waits, and less than overflows.
    private static let limit = 86_400.0

    private static func seconds(_ text: String) throws -> Duration {
        guard let seconds = Double(text), seconds >= 0.001, seconds <= limit else {
            throw WrongValue("write seconds, such as 5 or 0.5, up to \(Int(limit))")
        }
        return .milliseconds(Int((seconds * 1_000).rounded()))
    }
}
