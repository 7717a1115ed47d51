// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ArgumentParser
public import DNSNames

extension DomainName: ExpressibleByArgument {
    /// A name as an argument of the command.
    public init?(argument: String) { try? self.init(argument) }
}
