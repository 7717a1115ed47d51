// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Writes all bytes to a file descriptor.
struct FileDescriptorOutput {
    let descriptor: Int32
    /// For errors.
    let path: String

    func write(_ bytes: ArraySlice<UInt8>) throws(FileError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw FileError(.write, path: path)
            }
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

/// What the system refused to do with a file.
struct FileError: Error, Hashable {
    enum Operation: String, Hashable {
        case read
        case write
        case create
        case remove
    }

    let operation: Operation
    let path: String
    let code: Int32

    init(_ operation: Operation, path: String, code: Int32 = errno) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    var reason: String { String(cString: strerror(code)) }

    static let advice = "Check the path, who may use it, and whether the disk is full."
}
