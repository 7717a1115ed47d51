// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A body that comes from a file, or from standard input.
enum InputBody {
    /// A file can be read again, and so can be sent again; standard input and pipes cannot.
    ///
    /// - Throws: ``FileError``.
    static func body(_ path: String) throws(FileError) -> RequestBody {
        guard path != "-" else { return standardInput }
        let input = try InputDescriptor(path)
        guard let length = input.remainingLength else { return .oneShot(InputParts(input)) }
        return .stream(length: length) { InputParts(try InputDescriptor(path)) }
    }

    private static var standardInput: RequestBody {
        let input = InputDescriptor.standard
        return .oneShot(length: input.remainingLength, InputParts(input))
    }
}
