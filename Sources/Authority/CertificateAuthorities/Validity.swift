// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation

/// The validity period of a certificate: a number of days from the time of issue, or a fixed period.
public struct Validity: Hashable, Sendable {
    private enum Form: Hashable {
        case lasting(TimeInterval)
        case fixed(notBefore: Date, notAfter: Date)
    }

    private let form: Form

    /// The seconds between the beginning and the time of issue, which tolerate verifiers with slow clocks.
    static let clockTolerance: TimeInterval = 300

    /// Returns a period from five minutes before the time of issue until some days after it.
    ///
    /// - Parameter count: The number of days of 86,400 seconds.
    /// - Returns: A validity relative to the time of issue.
    public static func days(_ count: Int) -> Self {
        Self(form: .lasting(TimeInterval(count) * 86_400))
    }

    /// Returns a period from five minutes before the time of issue until some years after it.
    ///
    /// - Parameter count: The number of years of 365 days.
    /// - Returns: A validity relative to the time of issue.
    public static func years(_ count: Int) -> Self {
        days(count * 365)
    }

    /// Returns a fixed period, which does not depend on the time of issue.
    ///
    /// It is meant for test certificates that have expired or are not valid yet.
    ///
    /// - Parameters:
    ///   - notBefore: The first moment of validity, rounded to a whole second.
    ///   - notAfter: The last moment of validity.
    /// - Returns: A fixed validity.
    public static func between(_ notBefore: Date, and notAfter: Date) -> Self {
        Self(form: .fixed(notBefore: notBefore, notAfter: notAfter))
    }

    /// Returns the validity period of a certificate that is issued now.
    ///
    /// A relative end is limited to the issuer's, because a certificate is useless after its issuer has expired.
    func period(
        at now: Date, noLaterThan limit: Date?
    ) throws(CertificateAuthorityError) -> (notBefore: Date, notAfter: Date) {
        let (notBefore, notAfter) =
            switch form {
            case .lasting(let seconds):
                (now - Self.clockTolerance, min(now + seconds, limit ?? .distantFuture))
            case .fixed(let notBefore, let notAfter):
                (notBefore, notAfter)
            }
        guard notBefore <= notAfter else { throw .emptyValidity(notBefore: notBefore, notAfter: notAfter) }
        return (notBefore, notAfter)
    }
}
