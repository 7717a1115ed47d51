// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

extension SOAPFault: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        let codes = [code.name(in: version)] + subcodes
        return ErrorExplanation(
            "soap.fault", "The service answered with a fault: \(reasonSentence)",
            reason: "Its code is \(codes.map(\.description).joined(separator: ", ")).", advice: advice)
    }

    /// The reason with a full stop.
    var reasonSentence: String {
        let text = reason.isEmpty ? "no reason" : reason
        return text.hasSuffix(".") ? text : text + "."
    }

    private var advice: String {
        switch code {
        case .sender: "Correct what is sent; the same message would fail again."
        case .receiver: "Try again later, or ask the operator of the service."
        case .versionMismatch: "Use the port of the version that the service has."
        case .mustUnderstand: "Leave out the header, or send it without mustUnderstand."
        case .dataEncodingUnknown: "Generate the client again from the service's present description."
        case .other: "See the service's documentation for the code."
        }
    }

    package static var examples: [Self] {
        [SOAPFault(version: .soap11, code: .sender, reason: "There is no such account")]
    }
}
