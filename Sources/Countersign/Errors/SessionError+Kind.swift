// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension SessionError {
    /// The name of the case, for metrics and traces.
    var kind: String { Self.name(of: self) }

    /// The same of any error: a type's name where it is none of ours, since others may print what nobody should read.
    static func kind(of error: any Error) -> String {
        switch error {
        case let error as SessionError: error.kind
        case is CancellationError: "cancelled"
        default: "\(type(of: error))"
        }
    }

    /// A case with values is labelled by its name, and one without prints as nothing else.
    private static func name(of error: SessionError) -> String {
        Mirror(reflecting: error).children.first?.label ?? "\(error)"
    }
}
