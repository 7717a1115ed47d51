// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import PackagePlugin

/// Makes a client for each service description (`*.wsdl`) of a target, or for those that its settings list.
///
/// Documents beside it that it imports (`*.wsdl`, `*.xsd`) are its inputs too, and so are the files of the settings' catalogue. Settings
/// stand in `wsdl-generator.json`:
///
/// | setting | meaning |
/// |---|---|
/// | `descriptions` | the descriptions to make clients for, relative to the settings' folder; all `*.wsdl` of the target without it |
/// | `access` | `internal`, `package` or `public` |
/// | `encloses` | whether each description's types are in an enum with the name of its file |
/// | `imports` | modules to import in what is made |
/// | `catalogue` | files to read in place of documents that are imported by URL, relative to the settings' folder |
@main
struct WSDLPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        let tool = try context.tool(named: "WSDLGenerator").url
        let files = module.sourceFiles.map(\.url).sorted { $0.path < $1.path }
        let configuration = files.first { $0.lastPathComponent == "wsdl-generator.json" }
        let settings = try configuration.map(Settings.init)
        let documents = files.filter { ["wsdl", "xsd"].contains($0.pathExtension.lowercased()) }
        let descriptions = settings?.descriptions ?? documents.filter { $0.pathExtension.lowercased() == "wsdl" }
        let inputs = Set(documents + descriptions + (settings?.catalogue ?? []) + (configuration.map { [$0] } ?? []))
        let folder = context.pluginWorkDirectoryURL
        return descriptions.map { description in
            let name = Self.name(of: description, among: descriptions, in: module.directoryURL) + ".wsdl.swift"
            var arguments = ["--access", "internal", "--single-file", name, "--output", folder.path]
            if let configuration { arguments += ["--configuration", configuration.path] }
            return .buildCommand(
                displayName: "Making Swift of \(description.lastPathComponent)", executable: tool,
                arguments: arguments + [description.path], inputFiles: inputs.sorted { $0.path < $1.path },
                outputFiles: [folder.appending(component: name)])
        }
    }

    /// The description's name without its extension, with the folders in the target before it where another one has the name too.
    private static func name(of description: URL, among descriptions: [URL], in target: URL) -> String {
        let path = description.deletingPathExtension().standardizedFileURL
        let name = path.lastPathComponent
        // Case does not tell files apart everywhere.
        let same = descriptions.filter {
            $0.deletingPathExtension().lastPathComponent.lowercased() == name.lowercased()
        }
        guard same.count > 1 else { return name }
        let folders = target.standardizedFileURL.pathComponents
        return path.pathComponents.dropFirst(path.pathComponents.starts(with: folders) ? folders.count : 1)
            .joined(separator: "+")
    }
}

/// The settings that name files; the generator reads the others.
private struct Settings {
    private struct Content: Decodable {
        var descriptions: [String]?
        var catalogue: [String: String]?
    }

    /// `nil` for all of the target.
    let descriptions: [URL]?
    let catalogue: [URL]

    init(_ file: URL) throws {
        let content = try JSONDecoder().decode(Content.self, from: Data(contentsOf: file))
        let folder = file.deletingLastPathComponent()
        func url(_ path: String) -> URL { URL(fileURLWithPath: path, relativeTo: folder).standardizedFileURL }
        descriptions = content.descriptions?.map(url)
        catalogue = content.catalogue?.values.map(url) ?? []
    }
}
