// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

extension AllowedMethods {
    /// Allows these methods and no others; without arguments, none.
    public static func only(_ methods: AuthenticationMethod...) -> Self { only(Set(methods)) }

    /// Allows these methods and no others; an empty set allows none.
    public static func only(_ methods: Set<AuthenticationMethod>) -> Self {
        Self(names: Set(methods.map(\.description)))
    }

    /// Returns whether a challenge of a method may be answered.
    public func contains(_ method: AuthenticationMethod) -> Bool { names?.contains(method.description) ?? true }
}
