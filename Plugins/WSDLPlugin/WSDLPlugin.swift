// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import PackagePlugin

/// Generates a client for each service description (`*.wsdl`) of a target, or for those that its configuration lists.
///
/// The inputs also include the documents (`*.wsdl`, `*.xsd`) of the target, which descriptions may import, and the
/// files of the configuration's catalogue. The configuration is in `wsdl-generator.json`:
///
/// | setting | meaning |
/// |---|---|
/// | `descriptions` | the descriptions to generate clients for, relative to the file's folder; default: all `*.wsdl` |
/// | `access` | `internal`, `package` or `public` |
/// | `encloses` | whether each description's types are nested in an enum named after its file |
/// | `imports` | modules that the generated code imports |
/// | `catalogue` | files to read in place of documents imported by URL, relative to the configuration's folder |
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
                displayName: "Generating Swift for \(description.lastPathComponent)", executable: tool,
                arguments: arguments + [description.path], inputFiles: inputs.sorted { $0.path < $1.path },
                outputFiles: [folder.appending(component: name)])
        }
    }

    /// Returns the name of the description without its extension, prefixed with its folders in the target if another
    /// description has the same name.
    private static func name(of description: URL, among descriptions: [URL], in target: URL) -> String {
        let path = description.deletingPathExtension().standardizedFileURL
        let name = path.lastPathComponent
        // Some file systems ignore case.
        let same = descriptions.filter {
            $0.deletingPathExtension().lastPathComponent.lowercased() == name.lowercased()
        }
        guard same.count > 1 else { return name }
        let folders = target.standardizedFileURL.pathComponents
        return path.pathComponents.dropFirst(path.pathComponents.starts(with: folders) ? folders.count : 1)
            .joined(separator: "+")
    }
}

/// The settings with file names; the generator reads the other settings.
private struct Settings {
    private struct Content: Decodable {
        var descriptions: [String]?
        var catalogue: [String: String]?
    }

    /// The listed descriptions; `nil` for all descriptions of the target.
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
