// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import EssentialFoundation
public import Identities
import POSIX
import PrivateFiles
public import Secrets

extension TrustPolicy.Anchors {
    /// Trusts the certificates of some files, and no other anchors.
    ///
    /// The call blocks until the files are read; for a pipe, it may block indefinitely.
    ///
    /// - Parameters:
    ///   - file: A file URL: certificates in PEM (RFC 7468), PKCS#7 (RFC 5652) or DER; at most 16 MiB. Parts that cannot
    ///     be read are skipped; `CertificateFile.anchorContents(of:)` lists them.
    ///   - others: Further files of the same kind.
    /// - Returns: The anchors of all files.
    /// - Throws: ``SessionError`` of ``FileError/unusable(path:_:)`` if a file contains no readable certificate; of ``FileError/failed(path:_:code:)`` if the system cannot read a file or it is too large (`EFBIG`);
    ///   and of ``RequestError/invalidURL(_:_:)`` if a URL does not name a file on this machine.
    public static func only(contentsOf file: URL, _ others: URL...) throws(SessionError) -> Self {
        .only(try certificates(of: [file] + others))
    }

    /// Trusts the operating system's anchors and the certificates of some files.
    ///
    /// The call blocks until the files are read; for a pipe, it may block indefinitely.
    ///
    /// - Parameters:
    ///   - file: A file URL: certificates in PEM (RFC 7468), PKCS#7 (RFC 5652) or DER; at most 16 MiB.
    ///   - others: Further files of the same kind.
    /// - Returns: The anchors of the system and of all files.
    /// - Throws: The same errors as ``only(contentsOf:_:)``.
    public static func systemAnd(contentsOf file: URL, _ others: URL...) throws(SessionError) -> Self {
        .systemAnd(try certificates(of: [file] + others))
    }

    fileprivate static func certificates(of files: [URL]) throws(SessionError) -> [CertificateSummary] {
        var (all, known) = ([CertificateSummary](), Set<CertificateSummary>())
        for file in files {
            let anchors = try ConfigurationFile(file).contents { (bytes) throws(IdentityError) in
                try CertificateFile.anchors(in: bytes)
            }
            for anchor in anchors where known.insert(anchor).inserted { all.append(anchor) }
        }
        return all
    }
}

extension ServerPolicy {
    /// Returns a policy that trusts the certificates of some files, and no other anchors.
    ///
    /// The call blocks until the files are read; for a pipe, it may block indefinitely.
    ///
    /// - Parameters:
    ///   - file: A file URL: certificates in PEM (RFC 7468), PKCS#7 (RFC 5652) or DER; at most 16 MiB.
    ///   - others: Further files of the same kind.
    /// - Returns: The policy, with the defaults of `ServerPolicy` otherwise.
    /// - Throws: The same errors as `TrustPolicy.Anchors.only(contentsOf:_:)`.
    public static func only(contentsOf file: URL, _ others: URL...) throws(SessionError) -> Self {
        Self(trust: TrustPolicy(anchors: .only(try TrustPolicy.Anchors.certificates(of: [file] + others))))
    }
}

extension CertificateFile {
    /// Reads anchors.
    ///
    /// The anchors' own signatures are not checked, and may use any algorithm.
    ///
    /// Parts of the file that cannot be read are skipped; ``anchorContents(of:)`` lists them.
    ///
    /// - Parameter bytes: Certificates in PEM (RFC 7468), PKCS#7 (RFC 5652) or DER.
    /// - Returns: The certificates in the order of the file, without duplicates; never empty.
    /// - Throws: The errors of ``anchorContents(of:)``.
    public static func anchors(in bytes: some Collection<UInt8>) throws(IdentityError) -> [CertificateSummary] {
        try anchorContents(of: bytes).certificates
    }

    /// The anchors in a file, and its parts that were not read.
    public struct AnchorContents: Sendable {
        /// The certificates in the order of the file, without duplicates; never empty.
        public let certificates: [CertificateSummary]
        /// The parts that were not read, in the order of the file.
        public let unread: [UnreadCertificate]
    }

    /// Reads anchors, and lists the other parts of the file.
    ///
    /// The anchors' own signatures are not checked, and may use any algorithm.
    ///
    /// - Parameter bytes: Certificates in PEM (RFC 7468), PKCS#7 (RFC 5652) or DER.
    /// - Returns: The anchors, and the parts that were not read, such as private keys.
    /// - Throws: If no certificate can be read, the error of the only part, or `IdentityError.noneReadable` with each
    ///   part, and other errors of `CertificateFile.contents(of:)`.
    public static func anchorContents(of bytes: some Collection<UInt8>) throws(IdentityError) -> AnchorContents {
        let (encoded, others) = try encodedContents(of: bytes)
        var (anchors, unread) = ([CertificateSummary](), [UnreadContent]())
        for part in encoded {
            guard let der = part.certificate else { continue }
            if let anchor = CertificateSummary(anchor: der) {
                anchors.append(anchor)
            } else {
                unread.append(part.with(problem(ofAnchor: der) ?? part.reason))
            }
        }
        unread = (unread + others).sorted { $0.position < $1.position }
        guard !anchors.isEmpty else { throw unread.error ?? .noCertificate }
        return AnchorContents(certificates: anchors, unread: unread.map(UnreadCertificate.init))
    }

    /// Reads a chain, leaf first, of which each certificate may be unreadable.
    ///
    /// - Parameter bytes: Certificates in PEM (RFC 7468), PKCS#7 (RFC 5652) or DER.
    /// - Returns: The chain, with the parts that were not read.
    /// - Throws: `IdentityError` if no part of the file is a certificate.
    package static func chain(in bytes: some Collection<UInt8>) throws(IdentityError) -> PresentedChain {
        let (encoded, others) = try encodedContents(of: bytes)
        guard
            let chain = PresentedChain(
                parts: encoded.compactMap { part in
                    part.certificate.map { (part.position, part.count, part.line, $0) }
                })
        else { throw others.error ?? .noCertificate }
        return chain.adding(others.map(UnreadCertificate.init))
    }
}

extension UnreadCertificate {
    /// Describes a part of a file that was not read.
    public init(_ content: UnreadContent) {
        let problem: CertificateProblem =
            switch content.cause {
            case .notBase64: .notBase64
            case .unended: .unended
            case .otherContent(let name): .otherContent(name)
            case .privateKey: .otherContent("a private key")
            case .certificate(let der):
                CertificateProblem(ofAnchor: der) ?? .unsupportedKey(CertificateProblem.keyName(of: der) ?? "unknown")
            }
        self.init(
            position: content.position, count: content.count, line: content.line, derEncoded: content.certificate,
            problem: problem)
    }
}

extension Identity {
    /// Reads an identity from one file: certificates and key in PEM (RFC 7468), or PKCS#12 (RFC 7292).
    ///
    /// The call blocks until the file is read; for a pipe, it may block indefinitely.
    ///
    /// - Parameters:
    ///   - file: A file URL; the file has at most 16 MiB.
    ///   - passphrase: The passphrase of an encrypted key or of a PKCS#12 file; `nil` if there is none. For `nil` and
    ///     for an empty one, both no password and an empty password of a PKCS#12 file are tried.
    /// - Throws: ``SessionError`` of ``FileError/unusable(path:_:)`` if the file contains no readable identity, also for
    ///   a missing or a wrong passphrase; of ``FileError/failed(path:_:code:)`` if the system cannot read the file; and
    ///   of ``RequestError/invalidURL(_:_:)`` if the URL does not name a file on this machine.
    public init(contentsOf file: URL, passphrase: Secret? = nil) throws(SessionError) {
        self = try ConfigurationFile(file).contents { (bytes) throws(IdentityError) in
            try Identity.read(bytes, passphrase: passphrase)
        }
    }

    /// Reads a pair of PEM files (RFC 7468).
    ///
    /// The call blocks until the files are read; for a pipe, it may block indefinitely.
    ///
    /// - Parameters:
    ///   - certificates: The URL of a file with the leaf and its issuers, in any order; at most 16 MiB.
    ///   - privateKey: The URL of a file with the leaf's key, at most 16 MiB; it may be the same file.
    ///   - passphrase: The passphrase of an encrypted key; `nil` if the key is not encrypted.
    /// - Throws: The same errors as ``init(contentsOf:passphrase:)``. ``FileError/unusable(path:_:)`` names both files.
    public init(contentsOf certificates: URL, privateKey: URL, passphrase: Secret? = nil) throws(SessionError) {
        let (certificates, key) = (try ConfigurationFile(certificates), try ConfigurationFile(privateKey))
        let (chain, keyBytes) = (try certificates.read(), try key.read())
        do throws(IdentityError) {
            try self.init(pemCertificates: chain, privateKey: keyBytes, passphrase: passphrase)
        } catch {
            throw .file(.unusable(path: "\(certificates.path) and \(key.path)", error))
        }
    }
}

/// A file with part of a session's configuration, such as certificates and keys, which are small.
struct ConfigurationFile {
    /// The maximum size of the file, in bytes.
    static let sizeLimit = 16 << 20

    let path: String

    /// Creates the file from a URL.
    ///
    /// - Throws: ``SessionError`` of ``RequestError/invalidURL(_:_:)`` if the URL does not name a file on this machine
    ///   (RFC 8089 section 2).
    init(_ url: URL) throws(SessionError) { path = try PrivateFile<SessionError>.path(of: url) }

    /// Reads the entire file, and parses its bytes.
    ///
    /// - Throws: The errors of ``read()``, and ``SessionError`` of ``FileError/unusable(path:_:)`` for an error of the
    ///   closure.
    func contents<Value>(_ parse: ([UInt8]) throws(IdentityError) -> Value) throws(SessionError) -> Value {
        let bytes = try read()
        do throws(IdentityError) {
            return try parse(bytes)
        } catch {
            throw .file(.unusable(path: path, error))
        }
    }

    /// Reads the entire file, or a pipe to its end.
    ///
    /// - Throws: ``SessionError`` of ``FileError/failed(path:_:code:)``, with the code `EFBIG` for a file above
    ///   ``sizeLimit``.
    func read() throws(SessionError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        guard FileState(descriptor: descriptor)?.isFolder == false else { throw failure(EISDIR) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = readPart(from: descriptor, into: &part)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(errno) }
            guard count > 0 else { return bytes }
            bytes += part.prefix(count)
            guard bytes.count <= Self.sizeLimit else { throw failure(EFBIG) }
        }
    }

    private func failure(_ code: Int32) -> SessionError { .file(.failed(path: path, .read, code: code)) }
}

private func readPart(from descriptor: Int32, into buffer: inout [UInt8]) -> Int {
    buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
}
