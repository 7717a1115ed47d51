// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import POSIX

/// The lack of a file descriptor for a file, a socket or a pipe (`EMFILE`, `ENFILE`).
public struct DescriptorShortage: Error, Hashable, Sendable {
    /// The process's limit on descriptors; `nil` if the limit of the system was reached.
    public let limit: Int?

    fileprivate init(limit: Int?) { self.limit = limit }

    /// Makes the error for an `errno`; `nil` if the `errno` has another meaning.
    package init?(_ code: Int32) {
        switch code {
        case EMFILE: limit = FileDescriptors.limit
        case ENFILE: limit = nil
        default: return nil
        }
    }

    /// The `errno` of the error.
    package var systemCode: Int32 { limit == nil ? ENFILE : EMFILE }

    /// The cause, as the end of a sentence.
    fileprivate var clause: String {
        "out of file descriptors, "
            + (limit.map { "of which this process may have \($0)" } ?? "of which the system has no more")
    }
}

extension DescriptorShortage: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        ErrorExplanation(
            "system.out-of-descriptors", clause.asSentence,
            reason: "Each connection, file and pipe takes a descriptor, and each network thread three.",
            advice: limit == nil
                ? "End programs that have many files open, or raise the system's limit."
                : "Raise the limit of the shell that starts the program, as with 'ulimit -n 1024', or do less at a time."
        )
    }

    package static var examples: [DescriptorShortage] { [Self(limit: 16), Self(limit: nil)] }
}

extension ErrorExplanation {
    /// Creates the explanation of a system error; the code of a descriptor shortage replaces the given code.
    package init(_ code: String, _ message: String, systemCode: Int32, reason: String, advice: String) {
        if let shortage = DescriptorShortage(systemCode)?.explanation {
            self.init(shortage.code, message, reason: shortage.reason, advice: shortage.advice)
        } else {
            self.init(code, message, reason: reason, advice: advice)
        }
    }
}

/// Returns the system's message for an `errno`, such as "Permission denied".
package func systemErrorText(_ code: Int32) -> String {
    DescriptorShortage(code)?.clause ?? String(cString: strerror(code))
}

/// The file descriptors of the process.
public enum FileDescriptors {
    /// The limit to request, which is sufficient for all programs and allowed by all systems; macOS allows at most
    /// 10,240.
    private static let requestedLimit: rlim_t = 10_240

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif

    /// The process's limit on descriptors.
    package static var limit: Int {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : .max
    }

    /// Raises the process's limit as far as the user may, up to 10,240.
    ///
    /// Go programs do this too; the usual limit of 1,024 exists for programs that call select(2).
    public static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < min(requestedLimit, limit.rlim_max) else { return }
        limit.rlim_cur = min(requestedLimit, limit.rlim_max)
        _ = setrlimit(resource, &limit)
    }

    /// The estimated number of descriptors that can still be opened, derived from the lowest free one.
    package static var remaining: Int {
        let lowest = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard lowest >= 0 else { return errno == EMFILE ? 0 : limit }
        close(lowest)
        return limit - Int(lowest)
    }

    /// Tests whether descriptors can be opened, by opening them.
    ///
    /// Libraries such as the system's resolver do not report the reason for a failure.
    ///
    /// - Parameter count: The number of descriptors needed.
    /// - Returns: The error; `nil` if that many descriptors are available.
    public static func shortage(of count: Int) -> DescriptorShortage? {
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        for _ in 0..<count {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return DescriptorShortage(errno) }
            opened.append(descriptor)
        }
        return nil
    }
}
