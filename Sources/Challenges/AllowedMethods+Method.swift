// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

extension AllowedMethods {
    /// These methods and no others.
    public static func only(_ methods: AuthenticationMethod...) -> Self { only(Set(methods)) }

    /// These methods and no others; an empty set allows none.
    public static func only(_ methods: Set<AuthenticationMethod>) -> Self {
        Self(names: Set(methods.map(\.description)))
    }

    /// Whether a challenge of a method may be answered.
    public func contains(_ method: AuthenticationMethod) -> Bool { names?.contains(method.description) ?? true }
}
