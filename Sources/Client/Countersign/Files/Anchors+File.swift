// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
import Identities

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension TrustPolicy.Anchors {
    /// Trusts the certificates of a file, and no other anchors.
    ///
    /// The calling thread waits for the file; a pipe can keep it waiting.
    ///
    /// - Parameter file: A file URL: certificates in PEM (RFC 7468), or one in DER; at most 16 MiB.
    /// - Returns: The anchors.
    /// - Throws: `IdentityError` where the file holds no certificate, or a private key beside one; ``SessionError`` of
    ///   ``FileError/failed(path:_:code:)`` where the system cannot read the file or it is too large (`EFBIG`), and of
    ///   ``RequestError/invalidURL(_:_:)`` for a URL of another scheme or host.
    public static func only(contentsOf file: URL) throws -> Self {
        .only(try CertificateFile.anchors(in: try ConfigurationFile(file).read()))
    }

    /// Trusts the operating system's anchors and the certificates of a file.
    ///
    /// The calling thread waits for the file; a pipe can keep it waiting.
    ///
    /// - Parameter file: A file URL: certificates in PEM (RFC 7468), or one in DER; at most 16 MiB.
    /// - Returns: The anchors.
    /// - Throws: As ``only(contentsOf:)``.
    public static func systemAnd(contentsOf file: URL) throws -> Self {
        .systemAnd(try CertificateFile.anchors(in: try ConfigurationFile(file).read()))
    }
}
