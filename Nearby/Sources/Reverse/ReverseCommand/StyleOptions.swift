// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import DNSNames
import ReverseZones

/// The options for the delegation style of a block.
struct StyleOptions: ParsableArguments {
    enum Style: String, CaseIterable, ExpressibleByArgument {
        case slash, hyphen, range, addresses, zones
    }

    @Option(
        help: ArgumentHelp(
            "The naming style of the alias zone: slash (64/27), hyphen (64-27) or range (64-95); or addresses, which delegates each address, or zones, which delegates reverse names.",
            valueName: "style"))
    var style: Style?

    @Option(help: ArgumentHelp("The label of the alias zone, instead of a style.", valueName: "label"))
    var label: String?

    @Option(
        help: ArgumentHelp("An existing domain for the PTR records, instead of a separate zone.", valueName: "name"))
    var domain: DomainName?

    @Option(help: ArgumentHelp("The target domain of a DNAME record.", valueName: "name"))
    var dname: DomainName?

    func validate() throws {
        let ways = [style != nil, label != nil, domain != nil, dname != nil].count(where: \.self)
        guard ways <= 1 else {
            throw ValidationError("Use only one of --style, --label, --domain and --dname.")
        }
    }

    func chosen() -> DelegationStyle? {
        if let label { return .label(label) }
        if let domain { return .domain(domain) }
        if let dname { return .dname(dname) }
        return switch style {
        case .slash?: .slash
        case .hyphen?: .hyphen
        case .range?: .range
        case .addresses?: .addresses
        case .zones?: .zones
        case nil: nil
        }
    }
}
