// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations

/// An error in a line of standard input that should announce a service.
enum AnnouncementProblem: ExplainedError {
    case malformedLine

    /// An example of each error code.
    static var examples: [Self] { [.malformedLine] }

    var explanation: ErrorExplanation {
        ErrorExplanation(
            "discover.malformed-line", "A line of standard input is not an announcement.",
            reason: "Each line must be a JSON object with name, type, port and optionally txt.",
            advice: #"Write it as {"name":"Web","type":"_http._tcp","port":80,"txt":{"path":"/"}}."#)
    }
}
