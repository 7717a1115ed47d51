// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing
import XMLDocuments

@testable import XMLSignature

/// Compares this library's canonical forms with those of libxml2.
@Suite struct CanonicalWriterTests {
    private static let documents = [
        "<a/>", "<?p?><!-- c --><a>x</a><!--d--><?q r s?>\n",
        "<a xmlns='urn:d' b='&#9;&#10;&#13;&lt;&gt;&amp;&quot;&#39;'>&lt;&gt;&amp;\"'&#13;<![CDATA[<&>]]></a>",
        "<a xmlns='urn:d' xmlns:p='urn:p'><b xmlns=''><c xmlns='urn:d'><p:d xmlns:p='urn:q' p:x='1' x='2'/></c></b></a>",
        "<p:a xmlns:p='urn:p' xmlns:q='urn:q'><b q:b='1' p:a='2' c='3' a='4'/><p:c xmlns:p='urn:p'><q:d/></p:c></p:a>",
        "<a xml:lang='en' xml:space='preserve'><b xml:lang='de'><c/></b> text <?p x?><!-- c --></a>",
        "<a xmlns:z='urn:z' xmlns:y='urn:y' xmlns='urn:d'><b z:t='y:q'><c xmlns='' xmlns:z='urn:w' z:t=''/></b></a>",
        "<a xmlns=''><b xmlns='urn:b'><c xmlns=''><d/></c></b></a>",
        "<a><b/><b><c/></b>\u{e9}\u{1F600}<c \u{e9}='\u{1F600}'/></a>",
        "<!DOCTYPE a [<!ENTITY e 'x<b/>y'><!ATTLIST b c CDATA 'd'>]><a>&e;<b xmlns:p='urn:p'>&e;</b></a>",
        "<p:a xmlns:p='urn:p'><p:b xmlns:p='urn:q'><p:c xmlns:p='urn:p'><p:d/></p:c></p:b></p:a>",
    ]

    @Test("Every element of a document has the same canonical form as with libxml2", arguments: documents)
    func samples(document: String) throws { try Self.compare(Array(document.utf8)) }

    @Test("Documents of xmlsec's vectors have the same canonical form as with libxml2")
    func vectors() throws {
        let environment = ProcessInfo.processInfo.environment["XMLDSIG"]
        let root = URL(filePath: #filePath).appending(path: "../../../../../shared/testdata/xmldsig").standardized
        let folder = environment.map { URL(filePath: $0) } ?? root
        guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else {
            print("skipped: no \(folder.path); set XMLDSIG to xmlsec's vectors")
            return
        }
        for case let file as URL in files where file.pathExtension == "xml" {
            guard let data = try? Data(contentsOf: file), data.count < 6_000 else { continue }
            try Self.compare(Array(data), maximumElementCount: 4)
        }
    }

    private static func compare(_ document: [UInt8], maximumElementCount: Int = .max) throws {
        var limits = XMLLimits()
        limits.allowsDocumentType = true
        guard let tree = try? XMLTree(parsing: document, limits: limits) else { return }
        var selections = [NodeSelection(tree: tree, hasComments: true), NodeSelection(tree: tree, hasComments: false)]
        var elements: [XMLElement] = []
        tree.root.forEach { elements.append($0) }
        for element in elements.prefix(maximumElementCount) {
            selections.append(NodeSelection(tree: tree, top: element, hasComments: true))
            if let parent = element.parent {
                selections.append(NodeSelection(tree: tree, hasComments: true, excludedElements: [element]))
                selections.append(
                    NodeSelection(tree: tree, top: parent, hasComments: true, excludedElements: [element]))
            }
        }
        let lists = [[], ["#default"], ["p", "z"], ["y", "#default", "q", "missing"]]
        for method in CanonicalizationMethod.allCases {
            for prefixes in lists where prefixes.isEmpty || method.isExclusive {
                let canonicalization = Canonicalization(method, inclusivePrefixes: prefixes)
                for selection in selections {
                    let own = try? canonicalization.bytes(of: selection)
                    let other = try? canonicalization.generalBytes(of: selection)
                    guard own != other else { continue }
                    Issue.record(
                        "\(method) \(prefixes): \(String(decoding: own ?? [], as: UTF8.self)) is not \(String(decoding: other ?? [], as: UTF8.self))"
                    )
                    return
                }
            }
        }
        withExtendedLifetime(tree) {}
    }
}
