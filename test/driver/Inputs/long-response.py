# A response file of about 3 MB.
for i in range(60000):
    print(f'-DA_RATHER_LONG_MACRO_NAME_{i}="value of {i}"')
