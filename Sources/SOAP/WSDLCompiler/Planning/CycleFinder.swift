// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Finds declarations that contain themselves, which Swift value types allow only with indirection.
///
/// Arrays are already an indirection. The edges of the graph are all other properties and cases. Cycles lie within
/// strongly connected components, which Tarjan's algorithm (SIAM Journal on Computing 1, 1972) finds, here without
/// using recursion.
struct CycleFinder {
    private let edges: [[Int]]
    private var index: [Int]
    private var low: [Int]
    private var isOnStack: [Bool]
    private var stack: [Int] = []
    private var counter = 0
    /// The strongly connected component of each declaration.
    private var component: [Int]
    private var componentCount = 0

    /// Marks the enums in cycles as indirect, and then the properties in the remaining cycles.
    static func markCycles(_ declarations: inout [Declaration]) {
        let first = CycleFinder(declarations.map(\.containedNumbers))
        for number in declarations.indices {
            switch declarations[number].kind {
            case .choice, .derivations, .union:
                declarations[number].isIndirect = declarations[number].containedNumbers.contains {
                    first.component[$0] == first.component[number]
                }
            default: break
            }
        }
        let second = CycleFinder(declarations.map { $0.isIndirect ? [] : $0.containedNumbers })
        for number in declarations.indices {
            guard case .structure(var structure) = declarations[number].kind else { continue }
            for index in structure.members.indices {
                guard case .property(var property) = structure.members[index], let contained = property.containedNumber,
                    second.component[contained] == second.component[number]
                else { continue }
                property.isIndirect = true
                structure.members[index] = .property(property)
            }
            declarations[number].kind = .structure(structure)
        }
    }

    private init(_ edges: [[Int]]) {
        self.edges = edges
        index = Array(repeating: -1, count: edges.count)
        low = index
        component = index
        isOnStack = Array(repeating: false, count: edges.count)
        for root in edges.indices where index[root] < 0 { visit(root) }
    }

    private mutating func visit(_ root: Int) {
        var work: [(node: Int, edge: Int)] = [(root, 0)]
        begin(root)
        while let (node, edge) = work.last {
            if edge < edges[node].count {
                work[work.count - 1].edge += 1
                let next = edges[node][edge]
                if index[next] < 0 {
                    begin(next)
                    work.append((next, 0))
                } else if isOnStack[next] {
                    low[node] = min(low[node], index[next])
                }
            } else {
                work.removeLast()
                if let parent = work.last?.node { low[parent] = min(low[parent], low[node]) }
                if low[node] == index[node] { finish(node) }
            }
        }
    }

    private mutating func begin(_ node: Int) {
        (index[node], low[node]) = (counter, counter)
        counter += 1
        stack.append(node)
        isOnStack[node] = true
    }

    private mutating func finish(_ node: Int) {
        while let member = stack.popLast() {
            isOnStack[member] = false
            component[member] = componentCount
            if member == node { break }
        }
        componentCount += 1
    }
}

extension Property {
    /// The declaration that the property's value stores inline.
    fileprivate var containedNumber: Int? {
        guard occurrence != .repeated, !isNillableProperty, case .declared(let number) = type else { return nil }
        return number
    }
}

extension Declaration {
    fileprivate var containedNumbers: [Int] {
        switch kind {
        case .structure(let structure): structure.properties.compactMap(\.containedNumber)
        case .choice(let cases): cases.compactMap(\.containedNumber)
        case .derivations(let cases): cases.map(\.type)
        case .union(let cases):
            cases.compactMap { member in
                guard case .declared(let number) = member.type else { return nil }
                return number
            }
        case .alias(.declared(let number)): [number]
        case .restriction(let restriction):
            if case .declared(let number) = restriction.value { [number] } else { [] }
        case .enumeration, .alias: []
        }
    }
}
