// Unpacks an archive with the libraries of Go: `unpack tar|zip ARCHIVE DIRECTORY`.
package main

import (
	"archive/tar"
	"archive/zip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

var failed = false

func check(err error) bool {
	if err != nil {
		failed = true
	}
	return err == nil
}

// place is the path of a name below the directory. Names of parents are left out.
func place(directory, name string) string {
	path := directory
	for _, part := range strings.Split(name, "/") {
		if part != "" && part != "." && part != ".." {
			path = filepath.Join(path, part)
		}
	}
	return path
}

func write(path string, mode fs.FileMode, content io.Reader) {
	if !check(os.MkdirAll(filepath.Dir(path), 0o755)) {
		return
	}
	os.Remove(path)
	if mode&fs.ModeSymlink != 0 {
		target, err := io.ReadAll(content)
		if check(err) {
			check(os.Symlink(string(target), path))
		}
		return
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if !check(err) {
		return
	}
	_, err = io.Copy(file, content)
	check(err)
	check(file.Close())
}

func unpackTar(archive, directory string) {
	file, err := os.Open(archive)
	if !check(err) {
		return
	}
	reader := tar.NewReader(file)
	for {
		header, err := reader.Next()
		if err == io.EOF || !check(err) {
			return
		}
		path := place(directory, header.Name)
		mode := header.FileInfo().Mode()
		switch {
		case header.Typeflag == tar.TypeXGlobalHeader:
		case header.Typeflag == tar.TypeLink:
			check(os.MkdirAll(filepath.Dir(path), 0o755))
			check(os.Link(place(directory, header.Linkname), path))
		case mode&fs.ModeSymlink != 0:
			write(path, mode, strings.NewReader(header.Linkname))
		case mode.IsDir():
			check(os.MkdirAll(path, 0o755))
		case mode.IsRegular():
			write(path, mode, reader)
		}
	}
}

func unpackZip(archive, directory string) {
	reader, err := zip.OpenReader(archive)
	if !check(err) {
		return
	}
	for _, file := range reader.File {
		path := place(directory, file.Name)
		if file.FileInfo().IsDir() {
			check(os.MkdirAll(path, 0o755))
			continue
		}
		content, err := file.Open()
		if check(err) {
			write(path, file.Mode(), content)
		}
	}
}

func main() {
	if os.Args[1] == "tar" {
		unpackTar(os.Args[2], os.Args[3])
	} else {
		unpackZip(os.Args[2], os.Args[3])
	}
	if failed {
		os.Exit(1)
	}
}
