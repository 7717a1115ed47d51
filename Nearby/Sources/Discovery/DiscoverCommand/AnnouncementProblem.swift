// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations

/// Why a line of standard input announces nothing.
enum AnnouncementProblem: ExplainedError {
    case malformedLine

    /// A value for each code.
    static var examples: [Self] { [.malformedLine] }

    var explanation: ErrorExplanation {
        ErrorExplanation(
            "discover.malformed-line", "A line of standard input is no announcement.",
            reason: "Each line is a JSON object with name, type, port and perhaps txt.",
            advice: #"Write it as {"name":"Web","type":"_http._tcp","port":80,"txt":{"path":"/"}}."#)
    }
}
