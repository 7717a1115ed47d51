// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation

/// The period in which a certificate is valid: for some days from the time of issue, or between two fixed instants.
public struct Validity: Hashable, Sendable {
    private enum Form: Hashable {
        case lasting(TimeInterval)
        case fixed(notBefore: Date, notAfter: Date)
    }

    private let form: Form

    /// The head start, in seconds, that forgives a reader whose clock is a little behind.
    static let headStart: TimeInterval = 300

    /// A period from five minutes before the issue until some days after it.
    ///
    /// - Parameter count: The number of days of 86,400 seconds.
    /// - Returns: A validity relative to the time of issue.
    public static func days(_ count: Int) -> Self {
        Self(form: .lasting(TimeInterval(count) * 86_400))
    }

    /// A period from five minutes before the issue until some years after it.
    ///
    /// - Parameter count: The number of years of 365 days.
    /// - Returns: A validity relative to the time of issue.
    public static func years(_ count: Int) -> Self {
        days(count * 365)
    }

    /// A period between two instants, which does not depend on the time of issue.
    ///
    /// Tests use it for certificates that have expired or are not valid yet.
    ///
    /// - Parameters:
    ///   - notBefore: The first instant of validity; certificates hold whole seconds.
    ///   - notAfter: The last instant of validity.
    /// - Returns: A validity that no time of issue changes.
    public static func between(_ notBefore: Date, and notAfter: Date) -> Self {
        Self(form: .fixed(notBefore: notBefore, notAfter: notAfter))
    }

    /// The two instants for a certificate issued now.
    ///
    /// A relative end is brought forward to the issuer's, because a certificate that outlives its issuer misleads.
    func period(
        at now: Date, noLaterThan limit: Date?
    ) throws(CertificateAuthorityError) -> (notBefore: Date, notAfter: Date) {
        let (notBefore, notAfter) =
            switch form {
            case .lasting(let seconds):
                (now - Self.headStart, min(now + seconds, limit ?? .distantFuture))
            case .fixed(let notBefore, let notAfter):
                (notBefore, notAfter)
            }
        guard notBefore <= notAfter else { throw .emptyValidity(notBefore: notBefore, notAfter: notAfter) }
        return (notBefore, notAfter)
    }
}
