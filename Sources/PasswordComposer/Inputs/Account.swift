// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Which of a user's passwords for a site is meant.
public struct Account: Sendable, Hashable {
    let login: [UInt8]
    let counter: UInt32

    /// Names an account.
    ///
    /// - Parameters:
    ///   - login: The login as UTF-8, which may be empty.
    ///   - counter: From 1; another number gives another password.
    public init(loginBytes login: [UInt8], counter: UInt32 = 1) {
        (self.login, self.counter) = (login, counter)
    }

    /// Names an account.
    ///
    /// - Parameters:
    ///   - login: The login, which may be empty.
    ///   - counter: From 1; another number gives another password.
    public init(login: String = "", counter: UInt32 = 1) {
        self.init(loginBytes: Array(login.utf8), counter: counter)
    }
}
