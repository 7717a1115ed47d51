// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The names that a CertificateRequest lists, each as it is encoded; empty where it lists none.
package struct AcceptableIssuers: Equatable, Sendable {
    package let names: [[UInt8]]
}
