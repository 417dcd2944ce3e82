/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/attach/cgroup.h"
#include "user/base/cleanup.h"

static const char cgroups[] =
	"4:memory:/pods/a\n3:cpuset:/\n2:cpu,cpuacct:/pods/b:c\n1:name=systemd:/x\n0::/unified\n";

static void expect_path(const char *text, const char *controller, const char *expected)
{
	char *got CLEANUP(freep) = cgroup_path(text, controller);

	if (expected)
		cr_expect(eq(str, got ? got : (char *)"(none)", (char *)expected), "'%s'",
			  controller);
	else
		cr_expect(zero(ptr, got), "'%s'", controller);
}

Test(cgroup, the_group_of_each_controller_is_found)
{
	expect_path(cgroups, "memory", "/pods/a");
	expect_path(cgroups, "cpu", "/pods/b:c");
	expect_path(cgroups, "cpuacct", "/pods/b:c");
	expect_path(cgroups, "cpuset", "/");
	expect_path(cgroups, "", "/unified");
	expect_path(cgroups, "cpuac", NULL);
	expect_path(cgroups, "pu", NULL);
	expect_path("", "", NULL);
	expect_path("nonsense\n4:\n", "memory", NULL);
	expect_path("0::/only", "cpu", NULL);
}

static const char mounts[] =
	"20 1 0:18 / /proc rw - proc proc rw\n"
	"30 25 0:26 / /sys/fs/cgroup/unified rw,nosuid shared:9 - cgroup2 cgroup2 rw\n"
	"31 25 0:27 /pods /mnt/with\\040blank rw shared:10 master:3 - cgroup cgroup "
	"rw,cpu,cpuacct\n"
	"32 25 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";

static void expect_directory(const char *controller, const char *path, const char *expected,
			     size_t mount_bytes)
{
	size_t got_bytes = 0;
	char *got CLEANUP(freep) = cgroup_directory(mounts, controller, path, &got_bytes);

	if (!expected) {
		cr_expect(zero(ptr, got), "%s %s", controller, path);
		return;
	}
	cr_expect(eq(str, got ? got : (char *)"(none)", (char *)expected), "%s %s", controller,
		  path);
	cr_expect(eq(sz, got_bytes, mount_bytes), "%s %s", controller, path);
}

Test(cgroup, the_directory_of_a_group_is_below_its_mount)
{
	expect_directory("", "/", "/sys/fs/cgroup/unified", 22);
	expect_directory("", "/a/b", "/sys/fs/cgroup/unified/a/b", 22);
	expect_directory("memory", "/a", "/sys/fs/cgroup/memory/a", 21);
	expect_directory("cpu", "/pods/x", "/mnt/with blank/x", 15);
	expect_directory("cpu", "/pods", "/mnt/with blank", 15);
	expect_directory("cpu", "/pods2/x", NULL, 0);
	expect_directory("cpu", "/other", NULL, 0);
	expect_directory("freezer", "/a", NULL, 0);
	expect_directory("", "/../../elsewhere", NULL, 0);
}

struct tree { /* DIRECTORY/outer/inner */
	char mount[64], outer[80], inner[96];
};

static void make_tree(struct tree *t)
{
	snprintf(t->mount, sizeof(t->mount), "/tmp/standstill-test-XXXXXX");
	cr_assert(mkdtemp(t->mount) != NULL);
	snprintf(t->outer, sizeof(t->outer), "%s/outer", t->mount);
	snprintf(t->inner, sizeof(t->inner), "%s/inner", t->outer);
	cr_assert(zero(int, mkdir(t->outer, 0700) | mkdir(t->inner, 0700)));
}

static void put(const char *directory, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	cr_assert(file != NULL);
	fputs(text, file);
	fclose(file);
}

static void remove_tree(const struct tree *t)
{
	static const char *const files[] = {"cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us",
					    "memory.max", "memory.limit_in_bytes"};
	const char *const directories[] = {t->inner, t->outer, t->mount};

	for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(files); j++) {
			char path[256];

			snprintf(path, sizeof(path), "%s/%s", directories[i], files[j]);
			unlink(path);
		}
		rmdir(directories[i]);
	}
}

Test(cgroup, the_tightest_quota_up_to_the_mount_holds)
{
	struct cgroup_quota quota;
	struct tree t;

	make_tree(&t);
	put(t.inner, "cpu.max", "200000 100000\n");
	put(t.outer, "cpu.max", "30000 50000\n");
	put(t.mount, "cpu.max", "max 100000\n");
	cr_assert(zero(int, cgroup_cpu_quota(t.inner, strlen(t.mount), &quota)));
	cr_assert(quota.limited);
	cr_expect(eq(u64, quota.quota_us, 30000));
	cr_expect(eq(u64, quota.period_us, 50000));
	cr_expect(eq(str, quota.group, "/outer"));
	free(quota.group);
	put(t.outer, "cpu.max", "max 100000\n");
	put(t.inner, "cpu.max", "max 100000\n");
	cr_assert(zero(int, cgroup_cpu_quota(t.inner, strlen(t.mount), &quota)));
	cr_expect(zero(int, quota.limited));
	remove_tree(&t);
}

Test(cgroup, quotas_of_version_1_are_read_too)
{
	struct cgroup_quota quota;
	struct tree t;

	make_tree(&t);
	put(t.inner, "cpu.cfs_quota_us", "-1\n");
	put(t.inner, "cpu.cfs_period_us", "100000\n");
	put(t.outer, "cpu.cfs_quota_us", "20000\n");
	put(t.outer, "cpu.cfs_period_us", "100000\n");
	cr_assert(zero(int, cgroup_cpu_quota(t.inner, strlen(t.mount), &quota)));
	cr_assert(quota.limited);
	cr_expect(eq(u64, quota.quota_us, 20000));
	free(quota.group);
	put(t.outer, "cpu.cfs_period_us", "0\n");
	cr_assert(zero(int, cgroup_cpu_quota(t.inner, strlen(t.mount), &quota)));
	cr_expect(zero(int, quota.limited), "a period of nothing is no quota");
	remove_tree(&t);
}

Test(cgroup, the_tightest_memory_limit_holds)
{
	struct tree t;

	make_tree(&t);
	cr_expect(eq(u64, cgroup_memory_limit(t.inner, strlen(t.mount)), UINT64_MAX));
	put(t.inner, "memory.max", "max\n");
	put(t.outer, "memory.max", "1048576\n");
	cr_expect(eq(u64, cgroup_memory_limit(t.inner, strlen(t.mount)), 1048576));
	put(t.outer, "memory.max", "max\n");
	cr_expect(eq(u64, cgroup_memory_limit(t.inner, strlen(t.mount)), UINT64_MAX));
	remove_tree(&t);
}

Test(cgroup, the_v1_way_to_say_no_limit_is_no_limit)
{
	struct tree t;

	make_tree(&t);
	put(t.inner, "memory.limit_in_bytes", "9223372036854771712\n");
	cr_expect(eq(u64, cgroup_memory_limit(t.inner, strlen(t.mount)), UINT64_MAX));
	put(t.inner, "memory.limit_in_bytes", "4096\n");
	cr_expect(eq(u64, cgroup_memory_limit(t.inner, strlen(t.mount)), 4096));
	remove_tree(&t);
}
