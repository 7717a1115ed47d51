// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

/// Properties of every set of authorities; the argument of a failed test is the seed that reproduces the set.
struct PropertyTests {
    private static let seeds = UInt64(1)...100

    @Test("Adding certificates that are not needed does not change a trusted verdict", arguments: seeds)
    func additions(seed: UInt64) throws {
        var world = try RandomAuthorities(seed: seed)
        let line = world.line.map(\.certificate)
        let plain = try world.verdict(line)
        #expect(
            plain.path?.map(\.certificate) == [world.leaf] + line.reversed() + [world.anchors[0]].compactMap(\.self))
        for _ in 0..<2 {
            let verdict = try world.verdict(line + world.decoys)
            #expect(verdict.path == plain.path, "\(codes(verdict))")
        }
        let everything = try world.verdict(world.links.map(\.certificate) + world.decoys)
        #expect(everything.isTrusted, "\(codes(everything))")
    }

    @Test("Removing a needed certificate or anchor ends trust", arguments: seeds)
    func removals(seed: UInt64) throws {
        var world = try RandomAuthorities(seed: seed + 1000)
        for index in world.links.indices {
            var links = world.links
            links.remove(at: index)
            let verdict = try world.verdict(links.map(\.certificate) + world.decoys)
            let isReached = world.isReached(by: links, from: world.anchors)
            #expect(verdict.isTrusted == isReached, "without \(world.links[index]): \(codes(verdict))")
        }
        for number in world.anchors.keys.sorted() {
            let anchors = world.anchors.filter { $0.key != number }
            let verdict = try world.verdict(world.links.map(\.certificate) + world.decoys, anchors: anchors)
            let isReached = world.isReached(by: world.links, from: anchors)
            #expect(verdict.isTrusted == isReached, "without anchor \(number): \(codes(verdict))")
        }
    }

    @Test(
        "The order of certificates does not matter, and each certificate of a path was issued by the next",
        arguments: seeds)
    func order(seed: UInt64) throws {
        var world = try RandomAuthorities(seed: seed + 2000)
        var generator = world.generator
        let links = world.links.filter { _ in Int.random(in: 0..<5, using: &generator) > 0 }
        let isReached = world.isReached(by: links, from: world.anchors)
        let good = links.map(\.certificate) + world.anchors.values
        for _ in 0..<4 {
            let verdict = try world.verdict(links.map(\.certificate) + world.decoys)
            #expect(verdict.isTrusted == isReached, "\(codes(verdict))")
            let path = verdict.path?.compactMap(\.certificate) ?? []
            #expect(path.dropFirst().allSatisfy(good.contains) && path.first == (isReached ? world.leaf : nil))
        }
    }
}
