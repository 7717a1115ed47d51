// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Countersign
import PrivateFiles

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension FileError {
    /// What the system has just refused.
    package init(_ operation: Operation, path: String, code: Int32 = errno) {
        self = .failed(path: path, operation, code: code)
    }

    /// The `errno`; `nil` where the system refused nothing.
    package var systemCode: Int32? {
        if case .failed(_, _, let code) = self { code } else { nil }
    }
}

extension FileError: PrivateFileFailure {
    static func refused(_ path: String, code: Int32) -> Self { FileError(.create, path: path, code: code) }
}
