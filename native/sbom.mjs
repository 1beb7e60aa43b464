// Prints what a release is made of as SPDX 2.3 JSON: which packages are in the programs and the page, and which built them,
// in the versions this machine has (dpkg) and web/package-lock.json names. `node native/sbom.mjs VERSION`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const version = process.argv[2];
const root = fileURLToPath(new URL('..', import.meta.url));
const when = new Date(Number(process.env.SOURCE_DATE_EPOCH ?? 0) * 1000).toISOString().replace('.000', '');

// [Debian package, licence, relation of the package to what is handed out]
const DEBIAN = [
  ['libxtensor-dev', 'BSD-3-Clause', 'STATIC_LINK'],
  ['xtl-dev', 'BSD-3-Clause', 'STATIC_LINK'],
  ['nlohmann-json3-dev', 'MIT', 'STATIC_LINK'],
  ['libcli11-dev', 'BSD-3-Clause', 'STATIC_LINK'],
  ['libboost-dev', 'BSL-1.0', 'STATIC_LINK'],
  ['libc6-dev', 'LGPL-2.1-or-later', 'STATIC_LINK'],
  ['g++', 'GPL-3.0-or-later WITH GCC-exception-3.1', 'STATIC_LINK'],
  ['libc6-dev-arm64-cross', 'LGPL-2.1-or-later', 'STATIC_LINK'],
  ['g++-aarch64-linux-gnu', 'GPL-3.0-or-later WITH GCC-exception-3.1', 'STATIC_LINK'],
  ['emscripten', 'MIT', 'STATIC_LINK'], // its musl and libc++ are in the module
  ['cmake', 'BSD-3-Clause', 'BUILD_TOOL_OF'],
  ['ninja-build', 'Apache-2.0', 'BUILD_TOOL_OF'],
];
const IN_THE_PAGE = ['svelte'];

const packages = [];
const relationships = [];
function add(kind, name, versionInfo, license, relation, purl) {
  const id = `SPDXRef-${kind}-${name}-${versionInfo}`.replaceAll(/[^A-Za-z0-9.-]/g, '-');
  if (packages.some((one) => one.SPDXID === id)) return; // npm may have put the same release into two folders
  packages.push({
    name,
    SPDXID: id,
    versionInfo,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared: license,
    copyrightText: 'NOASSERTION',
    externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }],
  });
  relationships.push(
    relation === 'BUILD_TOOL_OF'
      ? { spdxElementId: id, relationshipType: relation, relatedSpdxElement: 'SPDXRef-Release' }
      : { spdxElementId: 'SPDXRef-Release', relationshipType: relation, relatedSpdxElement: id },
  );
}

for (const [name, license, relation] of DEBIAN) {
  const [installed, found] = dpkg(name);
  if (installed === 'installed') add('deb', name, found, license, relation, `pkg:deb/debian/${name}@${encodeURIComponent(found)}`);
}
function dpkg(name) {
  try {
    const options = { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' };
    return execFileSync('dpkg-query', ['-W', '-f', '${db:Status-Status}\n${Version}\n', name], options).split('\n');
  } catch {
    return [];
  }
}

const lock = `${root}web/package-lock.json`;
if (existsSync(lock)) {
  for (const [path, one] of Object.entries(JSON.parse(readFileSync(lock, 'utf8')).packages)) {
    if (path === '' || one.optional) continue; // optional: for other machines' processors
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const relation = IN_THE_PAGE.includes(name) ? 'STATIC_LINK' : 'BUILD_TOOL_OF';
    add('npm', name, one.version, one.license ?? 'NOASSERTION', relation, `pkg:npm/${name.replace('@', '%40')}@${one.version}`);
  }
}

const namespace = `urn:minimind-lab:${version}:${when}`;
console.log(
  JSON.stringify(
    {
      spdxVersion: 'SPDX-2.3',
      dataLicense: 'CC0-1.0',
      SPDXID: 'SPDXRef-DOCUMENT',
      name: `minimind-lab-${version}`,
      documentNamespace: namespace,
      creationInfo: { created: when, creators: ['Tool: native/sbom.mjs'] },
      packages: [
        {
          name: 'minimind-lab',
          SPDXID: 'SPDXRef-Release',
          versionInfo: version,
          downloadLocation: 'NOASSERTION',
          filesAnalyzed: false,
          licenseConcluded: 'Apache-2.0',
          licenseDeclared: 'Apache-2.0',
          copyrightText: 'NOASSERTION',
        },
        ...packages,
      ],
      relationships: [
        { spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: 'SPDXRef-Release' },
        ...relationships,
      ],
    },
    null,
    1,
  ),
);
