// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ArgumentParser
public import DNSNames

extension DomainName: ExpressibleByArgument {
    /// Parses a domain name from a command-line argument.
    public init?(argument: String) { try? self.init(argument) }
}
